using System;
using System.Collections.Generic;
using System.Linq;

namespace Gantry
{
    /// <summary>
    /// An operation was refused or failed. Compare <see cref="Reason"/> with the constants of <see cref="Reasons"/>;
    /// <see cref="Exception.Message"/> is for people.
    /// </summary>
    public sealed class GantryException : Exception
    {
        /// <summary>
        /// The server's <c>data.reason</c>, or one that the client raises itself: <c>connection_lost</c> (there was no response;
        /// the operation may or may not have been executed), <c>client_closed</c>, <c>queue_full</c>, <c>queue_expired</c>
        /// (a queued call may have been executed, too long ago to retry it), <c>answer_invalid</c>, and <c>unknown</c> (a
        /// proxy responded instead of the server).
        /// </summary>
        public string Reason { get; }

        /// <summary>The HTTP status; 0 without a response.</summary>
        public int Code { get; }

        /// <summary>The delay before a retry, if the server specifies one.</summary>
        public TimeSpan? RetryAfter { get; }

        /// <summary>The invalid fields: the path to each, and what is wrong with it.</summary>
        public IReadOnlyList<FieldError> Fields { get; }

        /// <summary>With <c>version_conflict</c>: the current version; 0 if there is no state.</summary>
        public long? Version { get; }

        /// <summary>With <c>update_required</c>: what to install; null otherwise.</summary>
        public RequiredUpdate Update { get; }

        /// <summary>With <c>access_denied</c>: the tokens that the player needs, as the server sends them; otherwise empty.</summary>
        public IReadOnlyList<JsonObject> Missing { get; } = new JsonObject[0];

        /// <summary>The whole body of the server's response; empty without one.</summary>
        public JsonObject Body { get; }

        public GantryException(string reason, string message, int code = 0) : base(message)
        {
            Reason = reason;
            Code = code;
            Fields = new FieldError[0];
            Body = new JsonObject();
        }

        /// <summary>From the body of a failed call.</summary>
        public GantryException(JsonObject body)
            : base(body.Find("message") as string ?? "The server gave no reason")
        {
            var data = body.Find("data") as JsonObject ?? new JsonObject();
            Body = body;
            Reason = data.Find("reason") as string ?? "unknown";
            Code = (int)Read.Integer(body.Find("code"));
            Version = data.Find("version") as long?;
            if (data.Find("update") is JsonObject update) Update = new RequiredUpdate(update);
            if (data.Find("missing") is List<object> missing) Missing = missing.OfType<JsonObject>().ToList();
            Fields = FieldErrors(body.Find("errors") as List<object>);
            var seconds = Read.OptionalNumber(data.Find("retryAfterSeconds"));
            if (seconds != null) RetryAfter = TimeSpan.FromSeconds(seconds.Value);
        }

        /// <summary>Nothing was executed and the cause is temporary: such calls are retried automatically.</summary>
        internal bool IsPassing
        {
            get { return Code == 429 || Code == 503; }
        }

        /// <summary>Worth another attempt, of something that may be repeated.</summary>
        internal bool IsTemporary
        {
            get { return Code == 429 || Code >= 500 || Reason == "connection_lost"; }
        }

        /// <summary>The token is no longer valid: the player has to sign in again.</summary>
        public bool IsSignedOut
        {
            get
            {
                return Reason == "token_missing" || Reason == "token_invalid" || Reason == "token_expired" ||
                       Reason == "session_ended" || Reason == "guest_upgraded";
            }
        }

        /// <summary>A token was refused because it has expired, and not because its session was ended for a reason.</summary>
        internal bool IsExpiry
        {
            get
            {
                var data = Body.Find("data") as JsonObject ?? new JsonObject();
                var endReason = data.Find("endReason") as string ?? "expired";
                return Reason == "token_expired" || (Reason == "session_ended" && endReason == "expired");
            }
        }

        internal static GantryException ConnectionLost(string url)
        {
            return new GantryException("connection_lost", "No response from Gantry at " + url + ": it could not be reached, or the connection was lost");
        }

        /// <summary>A proxy responded instead of the server, so nothing was executed.</summary>
        internal static GantryException FromProxy(IHttpCall http)
        {
            var data = new JsonObject { { "reason", "unknown" } };
            if (int.TryParse(http.Header("Retry-After"), out var seconds)) data["retryAfterSeconds"] = (long)seconds;
            return new GantryException(new JsonObject
            {
                { "message", "A proxy in front of the server has answered with status " + http.Status }, { "code", (long)http.Status }, { "data", data }
            });
        }

        private static List<FieldError> FieldErrors(List<object> errors)
        {
            var fields = new List<FieldError>();
            foreach (var one in errors ?? new List<object>())
                if (one is JsonObject error) fields.Add(new FieldError(error.Find("path") as string, error.Find("message") as string));
            return fields;
        }
    }

    /// <summary>What to install instead, and where; empty texts: not said.</summary>
    public sealed class RequiredUpdate
    {
        public string Version { get; }
        public string Url { get; }
        public string Message { get; }

        internal RequiredUpdate(JsonObject json)
        {
            Version = json.Find("version") as string ?? "";
            Url = json.Find("url") as string ?? "";
            Message = json.Find("message") as string ?? "";
        }
    }

    /// <summary>What is wrong with one field of an input.</summary>
    public sealed class FieldError
    {
        public string Path { get; }
        public string Message { get; }

        public FieldError(string path, string message)
        {
            Path = path;
            Message = message;
        }
    }
}
