namespace Gantry
{
    public enum ConnectionState
    {
        /// <summary>Not connected yet, or reconnecting.</summary>
        Connecting,

        /// <summary>Connected; events arrive, after the <see cref="Status.Replayed"/> missed ones.</summary>
        Live,

        /// <summary>
        /// The session has ended, see <see cref="Status.EndReason"/>, and the client could not sign in again by itself; it
        /// does not reconnect.
        /// </summary>
        Ended,

        /// <summary>The server refused the connection, see <see cref="Status.Error"/>. The client does not reconnect.</summary>
        Refused,

        /// <summary><see cref="GantryClient.Connect"/> was not called, or <see cref="GantryClient.Close"/> was.</summary>
        Closed
    }

    /// <summary>The status of a connection.</summary>
    public sealed class Status
    {
        public ConnectionState State { get; }

        /// <summary>With <see cref="ConnectionState.Live"/>: the number of missed events being replayed.</summary>
        public long Replayed { get; }

        /// <summary>With <see cref="ConnectionState.Live"/>: that the next version of the server will refuse this SDK; else null.</summary>
        public string Warning { get; }

        /// <summary>With <see cref="ConnectionState.Refused"/>: the reason.</summary>
        public GantryException Error { get; }

        /// <summary>With <see cref="ConnectionState.Ended"/>: such as <c>expired</c> or <c>banned</c>; null if unknown.</summary>
        public string EndReason { get; }

        internal Status(ConnectionState state, long replayed = 0, GantryException error = null, string endReason = null, string warning = null)
        {
            Warning = warning;
            EndReason = endReason;
            State = state;
            Replayed = replayed;
            Error = error;
        }
    }
}
