using System;

namespace Gantry
{
    /// <summary>The token that a launcher passes to the game it opens.</summary>
    internal static class LauncherToken
    {
        /// <summary>From the page's address in a browser, otherwise from the environment variable <c>GANTRY_TOKEN</c>; null without one.</summary>
        public static string Find()
        {
#if UNITY_WEBGL && !UNITY_EDITOR
            return In(UnityEngine.Application.absoluteURL);
#else
            var token = Environment.GetEnvironmentVariable("GANTRY_TOKEN");
            return string.IsNullOrEmpty(token) ? null : token;
#endif
        }

        /// <summary>The value of <c>token</c> in an address's fragment, otherwise in its query.</summary>
        public static string In(string url)
        {
            var parts = (url ?? "").Split(new[] { '#' }, 2);
            var query = parts[0].IndexOf('?');
            return (parts.Length == 2 ? Value(parts[1]) : null) ?? (query < 0 ? null : Value(parts[0].Substring(query + 1)));
        }

        private static string Value(string parameters)
        {
            foreach (var one in parameters.Split('&'))
                if (one.StartsWith("token=", StringComparison.Ordinal) && one.Length > "token=".Length)
                    return Uri.UnescapeDataString(one.Substring("token=".Length));
            return null;
        }
    }
}
