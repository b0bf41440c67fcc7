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

        /// <summary>Of a queued call: whether an attempt before the latest one may have been executed.</summary>
        public bool WasSent;

        public CancellationToken Cancellation;

        /// <summary>See <see cref="CallOptions.IsOfSession"/>.</summary>
        public bool IsOfSession;

        /// <summary>See <see cref="CallOptions.Game"/>.</summary>
        public string Game;

        /// <summary>The client's token when it was sent last.</summary>
        public string SentWith;

        /// <summary>Refused for the token's end: it is sent again in the next session, once.</summary>
        public bool IsWaitingForSignIn;

        public bool IsSentAgain;

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
