using System.Collections.Generic;

namespace Gantry
{
    /// <summary>
    /// A JSON object. Values are <c>string</c>, <c>long</c>, <c>double</c>, <c>bool</c>, <c>null</c>,
    /// <see cref="JsonObject"/> and <c>List&lt;object&gt;</c>; another number, a <see cref="Record"/>,
    /// a dictionary or any other list is converted when it is serialized.
    /// </summary>
    public sealed class JsonObject : Dictionary<string, object>
    {
        public JsonObject()
        {
        }

        public JsonObject(IEnumerable<KeyValuePair<string, object>> members)
        {
            foreach (var member in members) this[member.Key] = member.Value;
        }

        /// <summary>The value of a name; null if there is none.</summary>
        public object Find(string name)
        {
            return TryGetValue(name, out var value) ? value : null;
        }

        public override string ToString()
        {
            return Json.Write(this);
        }
    }
}
