using System;
using System.Threading;

namespace Gantry
{
    /// <summary>A call without a response.</summary>
    internal sealed class PendingCall
    {
        public Operation Operation;
        public JsonObject Data;
        public Transport Over;
        public long TimeoutMs;

        /// <summary>Of one that was not sent yet: until when it may be.</summary>
        public long AttemptDeadline;

        public long NotBefore;
        public bool IsRepeatable;
        public int Failures;
        public long? SocketId;
        public IHttpCall Http;
        public QueuedCall Queued;
        public CancellationToken Cancellation;

        /// <summary>Called once, with the result or the error: a GantryException, or an OperationCanceledException.</summary>
        public Action<JsonObject, Exception> Settle;

        public bool IsSent
        {
            get { return SocketId != null || Http != null; }
        }

        public void Unsend()
        {
            Http?.Abort();
            Http = null;
            SocketId = null;
        }
    }
}
