using System;

namespace Gantry
{
    public sealed class GantryOptions
    {
        /// <summary>The server's URL, such as <c>http://127.0.0.1:3000</c>, or a game's own address on it.</summary>
        public string Url { get; set; }

        /// <summary>Without one, sign in; until then only what needs no token can be called, and no events come.</summary>
        public string LauncherJwt { get; set; }

        /// <summary>For a game's own server: calls name their player, see <see cref="GantryClient.ForPlayer"/>. Never in what players are given.</summary>
        public string GameSecret { get; set; }

        /// <summary>The transport of calls; events always come over the socket.</summary>
        public Transport CallOver { get; set; } = Transport.Socket;

        /// <summary>How long one attempt of a call waits for its answer.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(15);

        /// <summary>
        /// How often a call is sent again that was not carried out (429, 503, after <c>Retry-After</c>), or whose answer was
        /// lost and that does no harm twice: a read, or a write with an idempotency key. Queued ones are sent until they are
        /// answered.
        /// </summary>
        public int Retries { get; set; } = 2;

        /// <summary>A call is not sent again when the server asks for a longer wait.</summary>
        public TimeSpan MaxRetryDelay { get; set; } = TimeSpan.FromSeconds(10);

        /// <summary>
        /// What <see cref="Save"/> was given last, or null: the cursors, the queue and a guest go on from there. Keep one for
        /// each player; the cursors and calls of one are not another's.
        /// </summary>
        public string SavedState { get; set; }

        /// <summary>
        /// Called when cursors or queue have changed, after the handlers of the events have run: ten times a second at most,
        /// but at once with every queued call. Store the text before you return, such as in a file or in PlayerPrefs. Of a
        /// guest it holds the secret, which is the player's password.
        /// </summary>
        public Action<string> Save { get; set; }

        /// <summary>How many calls the offline queue holds at most; beyond that they are refused with <c>queue_full</c>.</summary>
        public int MaxQueued { get; set; } = 1000;

        /// <summary>What a handler of an event, or <see cref="Save"/>, has thrown. By default it is written to the console or Unity's log.</summary>
        public Action<Exception> OnHandlerError { get; set; } = Platform.LogError;

        public Func<ISocket> CreateSocket { get; set; } = Platform.CreateSocket;
        public IHttp Http { get; set; } = Platform.CreateHttp();
    }
}
