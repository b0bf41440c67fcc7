namespace Gantry
{
    /// <summary>Whether an operation may be sent again when no answer came.</summary>
    public enum Repeat
    {
        /// <summary>It might be carried out twice.</summary>
        Never,

        /// <summary>With the idempotency key of the first time.</summary>
        WithKey,
        Always
    }

    /// <summary>Something that can be called; all of them are in <see cref="Operations"/>.</summary>
    public sealed class Operation
    {
        public string Name { get; }
        public Repeat Repeat { get; }

        /// <summary>It is about the live connection, and so cannot be called over HTTP.</summary>
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

    /// <summary>What may be said of a call beside its input.</summary>
    public sealed class CallOptions
    {
        /// <summary>
        /// A write that is sent again with the same key (1 to 255 visible ASCII characters) is carried out once, and
        /// answered the same, for 24 hours. With one, a call that was not answered is sent again by itself.
        /// </summary>
        public string IdempotencyKey { get; set; }

        /// <summary>
        /// Puts a write in the offline queue: it gets an idempotency key, is sent once the server can be reached, in the
        /// order of the queue, and outlives the game when <see cref="GantryOptions.Save"/> is set. Writes that take no
        /// key, and reads, are refused with an <see cref="System.ArgumentException"/>.
        /// </summary>
        public bool IsQueued { get; set; }

        /// <summary>How long one attempt waits for its answer; by default that of the options.</summary>
        public System.TimeSpan? Timeout { get; set; }

        /// <summary>By default that of the options.</summary>
        public Transport? Over { get; set; }
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
