using System;
using System.Collections.Generic;

namespace Gantry
{
    /// <summary>
    /// A typed view of a JSON object. Fields unknown to this version of the SDK are kept in <see cref="Json"/>.
    /// </summary>
    public abstract class Record
    {
        /// <summary>The object itself, with every field the server sent.</summary>
        public JsonObject Json { get; }

        protected Record(JsonObject json)
        {
            Json = json ?? throw new ArgumentNullException(nameof(json));
        }

        /// <summary>Whether there is a field of this name, including one with null.</summary>
        public bool Has(string name)
        {
            return Json.ContainsKey(name);
        }

        public override string ToString()
        {
            return Gantry.Json.Write(Json);
        }

        /// <exception cref="GantryException"><c>answer_invalid</c>: the field has another type.</exception>
        protected T Get<T>(string name, Func<object, T> read)
        {
            try
            {
                return read(Json.Find(name));
            }
            catch (InvalidCastException)
            {
                throw new GantryException("answer_invalid",
                    "The field " + name + " of " + GetType().Name + " does not have the type it should: " +
                    Gantry.Json.Write(Json.Find(name)));
            }
        }

        /// <summary>Null removes the field: an omitted field has its default.</summary>
        protected void Set(string name, object value)
        {
            if (value == null) Json.Remove(name);
            else Json[name] = Gantry.Json.ToPlain(value);
        }

        /// <summary>For fields in which null has a meaning.</summary>
        protected void SetNullable(string name, object value)
        {
            Json[name] = Gantry.Json.ToPlain(value);
        }
    }

    /// <summary>How the values of records are read from JSON.</summary>
    public static class Read
    {
        public static object Any(object value)
        {
            return value;
        }

        public static string String(object value)
        {
            return (string)value;
        }

        public static bool Boolean(object value)
        {
            return value != null && (bool)value;
        }

        public static bool? OptionalBoolean(object value)
        {
            return (bool?)value;
        }

        public static long Integer(object value)
        {
            return OptionalInteger(value) ?? 0;
        }

        public static long? OptionalInteger(object value)
        {
            // A whole number may have been written as 1e3.
            if (value is double number) return (long)number;
            return (long?)value;
        }

        public static double Number(object value)
        {
            return OptionalNumber(value) ?? 0;
        }

        public static double? OptionalNumber(object value)
        {
            if (value is long whole) return whole;
            return (double?)value;
        }

        public static JsonObject Object(object value)
        {
            return (JsonObject)value;
        }

        public static IReadOnlyList<T> List<T>(object value, Func<object, T> read)
        {
            if (value == null) return null;
            var items = (List<object>)value;
            var list = new List<T>(items.Count);
            foreach (var item in items) list.Add(read(item));
            return list;
        }

        public static IReadOnlyDictionary<string, T> Map<T>(object value, Func<object, T> read)
        {
            if (value == null) return null;
            var map = new Dictionary<string, T>();
            foreach (var member in (JsonObject)value) map[member.Key] = read(member.Value);
            return map;
        }
    }
}
