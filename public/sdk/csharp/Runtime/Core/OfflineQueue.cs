using System;
using System.Collections.Generic;
using System.Linq;

namespace Gantry
{
    /// <summary>A queued write that has no response yet.</summary>
    public sealed class QueuedCall
    {
        public Operation Operation { get; }
        public JsonObject Input { get; }
        public string IdempotencyKey { get; }

        /// <summary>When it was queued, in Unix milliseconds.</summary>
        public long QueuedAt { get; }

        /// <summary>Whether it may have reached the server already.</summary>
        public bool IsSent { get; private set; }

        /// <summary>When it was first sent and not refused, in Unix milliseconds; 0 if an earlier version of the SDK has sent it.</summary>
        private long _sentAt;

        internal void MarkSent(bool isSent)
        {
            IsSent = isSent;
            _sentAt = isSent ? OfflineQueue.UnixMs() : 0;
        }

        /// <summary>Whether it was sent so long ago that a retry might execute it twice.</summary>
        internal bool IsExpired
        {
            get { return IsSent && OfflineQueue.UnixMs() - (_sentAt == 0 ? QueuedAt : _sentAt) > OfflineQueue.KeyLivesMs; }
        }

        internal QueuedCall(Operation operation, JsonObject input, string idempotencyKey, long queuedAt)
        {
            Operation = operation;
            Input = input;
            IdempotencyKey = idempotencyKey;
            QueuedAt = queuedAt;
        }

        internal JsonObject ToJson()
        {
            var json = new JsonObject
            {
                { "operation", Operation.Name }, { "input", Input }, { "idempotencyKey", IdempotencyKey }, { "queuedAt", QueuedAt }
            };
            if (IsSent) json["isSent"] = true;
            if (_sentAt != 0) json["sentAt"] = _sentAt;
            return json;
        }

        /// <summary>Null if the operation no longer exists.</summary>
        internal static QueuedCall FromJson(JsonObject json)
        {
            var operation = Operations.Find(json.Find("operation") as string);
            var key = json.Find("idempotencyKey") as string;
            if (operation == null || key == null) return null;
            var input = json.Find("input") as JsonObject ?? new JsonObject();
            return new QueuedCall(operation, input, key, Read.Integer(json.Find("queuedAt")))
            {
                IsSent = Read.Boolean(json.Find("isSent")),
                _sentAt = Read.Integer(json.Find("sentAt"))
            };
        }
    }

    /// <summary>The outcome of a queued call.</summary>
    public sealed class QueuedAnswer
    {
        public QueuedCall Call { get; }

        /// <summary>The response; null if the call was refused.</summary>
        public JsonObject Result { get; }

        /// <summary>The error; null if it succeeded.</summary>
        public GantryException Error { get; }

        internal QueuedAnswer(QueuedCall call, JsonObject result, GantryException error)
        {
            Call = call;
            Result = result;
            Error = error;
        }
    }

    /// <summary>A FIFO queue of writes, each with its idempotency key.</summary>
    internal sealed class OfflineQueue
    {
        /// <summary>The server keeps idempotency keys for 24 hours; an hour less for clock skew.</summary>
        public const long KeyLivesMs = 23L * 60 * 60 * 1000;

        private readonly List<QueuedCall> _calls = new List<QueuedCall>();

        public int Count
        {
            get { return _calls.Count; }
        }

        public QueuedCall First
        {
            get { return _calls.Count == 0 ? null : _calls[0]; }
        }

        public IReadOnlyList<QueuedCall> Calls
        {
            get { return _calls.ToList(); }
        }

        public void Add(QueuedCall call)
        {
            _calls.Add(call);
        }

        public void Remove(QueuedCall call)
        {
            _calls.Remove(call);
        }

        public static long UnixMs()
        {
            return DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        }

        public List<object> ToJson()
        {
            return _calls.Select(call => (object)call.ToJson()).ToList();
        }

        public void Load(List<object> saved)
        {
            foreach (var one in saved ?? new List<object>())
            {
                var call = one is JsonObject json ? QueuedCall.FromJson(json) : null;
                if (call != null) _calls.Add(call);
            }
        }
    }
}
