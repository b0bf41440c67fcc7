namespace Gantry
{
    /// <summary>Whether an operation may be retried when there was no response.</summary>
    public enum Repeat
    {
        /// <summary>Never: it might be executed twice.</summary>
        Never,

        /// <summary>With the same idempotency key.</summary>
        WithKey,
        Always
    }

    /// <summary>An operation; all of them are in <see cref="Operations"/>.</summary>
    public sealed class Operation
    {
        public string Name { get; }
        public Repeat Repeat { get; }

        /// <summary>Whether it concerns the live connection, and therefore cannot be called over HTTP.</summary>
        public bool IsAboutConnection { get; }

        public Operation(string name, Repeat repeat, bool isAboutConnection = false)
        {
            Name = name;
            Repeat = repeat;
            IsAboutConnection = isAboutConnection;
        }
    }

    /// <summary>The transport of a call.</summary>
    public enum Transport
    {
        Socket,
        Http
    }

    /// <summary>The options of a call.</summary>
    public sealed class CallOptions
    {
        /// <summary>
        /// A write that is retried with the same key (1 to 255 visible ASCII characters) is executed once and gets the same
        /// response, for 24 hours. With a key, a call without a response is retried automatically.
        /// </summary>
        public string IdempotencyKey { get; set; }

        /// <summary>
        /// Puts a write in the offline queue: it gets an idempotency key, is sent once the server can be reached, in the
        /// order of the queue, and is kept across restarts if <see cref="GantryOptions.Save"/> is set. Writes that take no
        /// key, and reads, throw an <see cref="System.ArgumentException"/>.
        /// </summary>
        public bool IsQueued { get; set; }

        /// <summary>The timeout of one attempt; default: that of the client's options.</summary>
        public System.TimeSpan? Timeout { get; set; }

        /// <summary>Default: that of the client's options.</summary>
        public Transport? Over { get; set; }

        /// <summary>A call of the client itself, about its session: over HTTP, with no token but the input's, and tried once.</summary>
        internal bool IsOfSession { get; set; }

        /// <summary>Over HTTP: the game's slug or id; a token of another game is refused.</summary>
        internal string Game { get; set; }
    }

    /// <summary>The name of an event or a signal with the type of its record; all of them are in <see cref="Events"/>.</summary>
    public sealed class Event<T>
    {
        public string Name { get; }
        internal System.Func<object, T> ReadRecord { get; }

        public Event(string name, System.Func<object, T> readRecord)
        {
            Name = name;
            ReadRecord = readRecord;
        }
    }
}
