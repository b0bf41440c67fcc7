using System;
using System.Collections.Generic;

namespace Gantry
{
    /// <summary>
    /// An operation was refused or failed. Compare <see cref="Reason"/> with the constants of <see cref="Reasons"/>;
    /// <see cref="Exception.Message"/> is for people.
    /// </summary>
    public sealed class GantryException : Exception
    {
        /// <summary>
        /// The server's <c>data.reason</c>, or one of the client's own: <c>connection_lost</c> (no answer came;
        /// whether the operation was carried out is not known), <c>client_closed</c>, <c>queue_full</c>, <c>queue_expired</c>
        /// (a queued call may have been carried out, too long ago to send it again), <c>answer_invalid</c>, and
        /// <c>unknown</c> (something between client and server answered in the server's place).
        /// </summary>
        public string Reason { get; }

        /// <summary>The HTTP status; 0 without an answer.</summary>
        public int Code { get; }

        /// <summary>When to try again at the earliest, where the server has said so.</summary>
        public TimeSpan? RetryAfter { get; }

        /// <summary>The invalid fields: the path to each, and what is wrong with it.</summary>
        public IReadOnlyList<FieldError> Fields { get; }

        /// <summary>Of a <c>version_conflict</c>: the version there is; 0: there is no such state.</summary>
        public long? Version { get; }

        /// <summary>The whole body of the server's answer; empty without one.</summary>
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
            Fields = FieldErrors(body.Find("errors") as List<object>);
var seconds = Read.OptionalNumber(data.Find("retryAfterSeconds"));
            if (seconds != null) RetryAfter = TimeSpan.FromSeconds(seconds.Value);
        }

        /// <summary>Nothing was carried out, and it passes: calls that are refused so are sent again by themselves.</summary>
        internal bool IsPassing
        {
            get { return Code == 429 || Code == 503; }
        }

        /// <summary>The token is none any more: the player has to sign in again.</summary>
        public bool IsSignedOut
        {
            get
            {
                return Reason == "token_missing" || Reason == "token_invalid" || Reason == "token_expired" ||
                       Reason == "session_ended" || Reason == "guest_upgraded";
            }
        }

        internal static GantryException ConnectionLost()
        {
            return new GantryException("connection_lost", "The connection was lost before the response arrived");
        }

        /// <summary>A proxy has answered in the server's place, so that nothing was carried out.</summary>
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
