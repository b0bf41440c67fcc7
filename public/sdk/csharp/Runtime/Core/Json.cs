using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Gantry
{
    /// <summary>
    /// JSON (RFC 8259) without reflection, so that nothing is stripped by IL2CPP. Whole numbers are read as
    /// <c>long</c>, others as <c>double</c>.
    /// </summary>
    public static class Json
    {
        private const int MaxDepth = 128;

        /// <exception cref="FormatException">The text is not one JSON value.</exception>
        public static object Parse(string text)
        {
            var reader = new Reader(text);
            var value = reader.ReadValue(0);
            reader.ReadEnd();
            return value;
        }

        /// <exception cref="FormatException">The text is not one JSON object.</exception>
        public static JsonObject ParseObject(string text)
        {
            return Parse(text) as JsonObject ?? throw new FormatException("The JSON is not an object");
        }

        /// <exception cref="ArgumentException">The value, or one in it, cannot be represented in JSON.</exception>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            WriteValue(text, value, 0);
            return text.ToString();
        }

        /// <summary>The value as <see cref="Parse"/> would return it: records, dictionaries and lists become plain ones.</summary>
        /// <exception cref="ArgumentException">The value, or one in it, cannot be represented in JSON.</exception>
        public static object ToPlain(object value)
        {
            if (value == null || value is string || value is bool || value is long || value is double || value is JsonObject) return value;
            if (value is Record) return ((Record)value).Json;
            if (value is float || value is decimal) return Convert.ToDouble(value, CultureInfo.InvariantCulture);
            if (value is ulong && (ulong)value > long.MaxValue) return (double)(ulong)value;
            if (value is int || value is uint || value is short || value is ushort || value is byte || value is sbyte || value is ulong)
                return Convert.ToInt64(value, CultureInfo.InvariantCulture);
            if (value is IDictionary)
            {
                var plain = new JsonObject();
                foreach (DictionaryEntry member in (IDictionary)value) plain[(string)member.Key] = ToPlain(member.Value);
                return plain;
            }
            if (!(value is IEnumerable)) throw new ArgumentException(value.GetType() + " has no form in JSON");
            var list = new List<object>();
            foreach (var item in (IEnumerable)value) list.Add(ToPlain(item));
            return list;
        }

        private static void WriteValue(StringBuilder text, object value, int depth)
        {
            if (depth > MaxDepth) throw new ArgumentException("The value nests too deeply for JSON, or contains itself");
            if (value == null) text.Append("null");
            else if (value is string) WriteString(text, (string)value);
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is long) text.Append(((long)value).ToString(CultureInfo.InvariantCulture));
            else if (value is double) WriteNumber(text, (double)value);
            else if (value is JsonObject) WriteObject(text, (JsonObject)value, depth);
            else if (value is List<object>) WriteList(text, (List<object>)value, depth);
            else WriteValue(text, ToPlain(value), depth + 1);
        }

        private static void WriteNumber(StringBuilder text, double number)
        {
            if (double.IsNaN(number) || double.IsInfinity(number)) throw new ArgumentException("JSON has no form for " + number);
            var written = number.ToString("R", CultureInfo.InvariantCulture);
            if (DigitsOf(written) == 17)
            {
                // Mono does not try 16. The server refuses a whole number beyond 2^53 that has more digits than it needs.
                var shorter = number.ToString("G16", CultureInfo.InvariantCulture);
                var isNumber = double.TryParse(shorter, NumberStyles.Float, CultureInfo.InvariantCulture, out var rounded);
                if (isNumber && rounded == number) written = shorter; // the largest numbers, rounded up, are none in Mono
            }
            text.Append(written);
        }

        private static int DigitsOf(string number)
        {
            var count = 0;
            foreach (var character in number)
            {
                if (character == 'E') break;
                if (character >= '0' && character <= '9') count++;
            }
            return count;
        }

        private static void WriteObject(StringBuilder text, JsonObject members, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (var member in members)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                WriteString(text, member.Key);
                text.Append(':');
                WriteValue(text, member.Value, depth + 1);
            }
            text.Append('}');
        }

        private static void WriteList(StringBuilder text, List<object> items, int depth)
        {
            text.Append('[');
            for (var at = 0; at < items.Count; at++)
            {
                if (at > 0) text.Append(',');
                WriteValue(text, items[at], depth + 1);
            }
            text.Append(']');
        }

        private static void WriteString(StringBuilder text, string value)
        {
            text.Append('"');
            for (var at = 0; at < value.Length; at++)
            {
                var one = value[at];
                if (one == '"' || one == '\\') text.Append('\\').Append(one);
                else if (one == '\n') text.Append("\\n");
                else if (one == '\r') text.Append("\\r");
                else if (one == '\t') text.Append("\\t");
                else if (one < ' ' || IsLoneSurrogate(value, at)) text.Append("\\u").Append(((int)one).ToString("x4"));
                else text.Append(one);
            }
            text.Append('"');
        }

        /// <summary>An unpaired surrogate, which UTF-8 cannot represent.</summary>
        private static bool IsLoneSurrogate(string value, int at)
        {
            if (char.IsHighSurrogate(value[at])) return at + 1 == value.Length || !char.IsLowSurrogate(value[at + 1]);
            return char.IsLowSurrogate(value[at]) && (at == 0 || !char.IsHighSurrogate(value[at - 1]));
        }

        private struct Reader
        {
            private readonly string _text;
            private int _at;

            public Reader(string text)
            {
                _text = text;
                _at = 0;
            }

            public object ReadValue(int depth)
            {
                if (depth > MaxDepth) throw Invalid("nests too deeply");
                SkipSpace();
                switch (Peek())
                {
                    case '{':
                        return ReadObject(depth);
                    case '[':
                        return ReadList(depth);
                    case '"':
                        return ReadString();
                    case 't':
                        return ReadWord("true", true);
                    case 'f':
                        return ReadWord("false", false);
                    case 'n':
                        return ReadWord("null", null);
                    default:
                        return ReadNumber();
                }
            }

            public void ReadEnd()
            {
                SkipSpace();
                if (_at < _text.Length) throw Invalid("goes on after its value");
            }

            private JsonObject ReadObject(int depth)
            {
                var members = new JsonObject();
                _at++;
                SkipSpace();
                if (Peek() == '}')
                {
                    _at++;
                    return members;
                }
                while (true)
                {
                    SkipSpace();
                    var name = ReadString();
                    SkipSpace();
                    Expect(':');
                    members[name] = ReadValue(depth + 1);
                    SkipSpace();
                    if (Peek() == '}')
                    {
                        _at++;
                        return members;
                    }
                    Expect(',');
                }
            }

            private List<object> ReadList(int depth)
            {
                var items = new List<object>();
                _at++;
                SkipSpace();
                if (Peek() == ']')
                {
                    _at++;
                    return items;
                }
                while (true)
                {
                    items.Add(ReadValue(depth + 1));
                    SkipSpace();
                    if (Peek() == ']')
                    {
                        _at++;
                        return items;
                    }
                    Expect(',');
                }
            }

            private string ReadString()
            {
                Expect('"');
                var from = _at;
                while (Peek() != '"' && _text[_at] != '\\') _at++;
                if (_text[_at] == '"') return _text.Substring(from, _at++ - from);
                var value = new StringBuilder(_text, from, _at - from, (_at - from) + 32);
                while (true)
                {
                    var one = Peek();
                    _at++;
                    if (one == '"') return value.ToString();
                    value.Append(one == '\\' ? ReadEscape() : one);
                }
            }

            private char ReadEscape()
            {
                var one = Peek();
                _at++;
                switch (one)
                {
                    case 'n':
                        return '\n';
                    case 'r':
                        return '\r';
                    case 't':
                        return '\t';
                    case 'b':
                        return '\b';
                    case 'f':
                        return '\f';
                    case '"':
                    case '\\':
                    case '/':
                        return one;
                    case 'u':
                        if (_at + 4 > _text.Length || !ushort.TryParse(_text.Substring(_at, 4), NumberStyles.AllowHexSpecifier,
                                CultureInfo.InvariantCulture, out var code)) throw Invalid("has an invalid escape");
                        _at += 4;
                        return (char)code;
                    default:
                        throw Invalid("has an invalid escape");
                }
            }

            private object ReadNumber()
            {
                var from = _at;
                var isWhole = true;
                while (_at < _text.Length)
                {
                    var one = _text[_at];
                    if (one == '.' || one == 'e' || one == 'E') isWhole = false;
                    else if ((one < '0' || one > '9') && one != '-' && one != '+') break;
                    _at++;
                }
                var digits = _text.Substring(from, _at - from);
                if (isWhole && long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var whole))
                    return whole;
                if (double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)) return number;
                throw Invalid("has something that is no value");
            }

            private object ReadWord(string word, object value)
            {
                if (string.CompareOrdinal(_text, _at, word, 0, word.Length) != 0) throw Invalid("has something that is no value");
                _at += word.Length;
                return value;
            }

            private void SkipSpace()
            {
                while (_at < _text.Length && (_text[_at] == ' ' || _text[_at] == '\n' || _text[_at] == '\r' || _text[_at] == '\t')) _at++;
            }

            private char Peek()
            {
                return _at < _text.Length ? _text[_at] : throw Invalid("ends too early");
            }

            private void Expect(char expected)
            {
                if (Peek() != expected) throw Invalid("lacks " + expected);
                _at++;
            }

            private FormatException Invalid(string what)
            {
                return new FormatException("The JSON " + what + ", at character " + _at);
            }
        }
    }
}
