using System;
using System.Threading.Tasks;

namespace Gantry
{
    public class GantryOptions
    {
        /// <summary>The server's URL, such as <c>http://127.0.0.1:3000</c>, or a game's own address on it.</summary>
        public string Url { get; set; }

        /// <summary>The player's token. Without one, only operations that need none can be called, and no events are received: sign in.</summary>
        public string LauncherJwt { get; set; }

        /// <summary>For a game's own server: calls name their player, see <see cref="GantryClient.ForPlayer"/>. Never ship it to players.</summary>
        public string GameSecret { get; set; }

        /// <summary>Of a launcher: the status before the first <c>SetStatusAsync</c>; an invisible player is never shown.</summary>
        public SetStatusInput Status { get; set; }

        /// <summary>
        /// The version of the game, one to four numbers such as <c>1.4.2</c>. The server may require a newer one:
        /// <c>update_required</c>, see <see cref="GantryException.Update"/>.
        /// </summary>
        public string GameVersion { get; set; }

        /// <summary>What the game says of its build, for rules of its config with a <c>label</c>, such as <c>beta</c>.</summary>
        public string Label { get; set; }

        /// <summary>The transport of calls; events always arrive over the socket.</summary>
        public Transport CallOver { get; set; } = Transport.Socket;

        /// <summary>
        /// Names the player to proxies, with <c>X-Gantry-Player</c> for calls over HTTP and <c>?player=</c> for the socket, so
        /// that they can keep a player on one of several nodes. The server ignores it.
        /// </summary>
        public bool RouteByPlayer { get; set; }

        /// <summary>The timeout of one attempt of a call.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(15);

        /// <summary>
        /// The maximum number of retries of a call that was not executed (429, 503, after <c>Retry-After</c>), or whose
        /// response was lost and that is idempotent: a read, or a write with an idempotency key. Queued calls are retried
        /// until there is a response.
        /// </summary>
        public int Retries { get; set; } = 2;

        /// <summary>A call is not retried when the server specifies a longer delay.</summary>
        public TimeSpan MaxRetryDelay { get; set; } = TimeSpan.FromSeconds(10);

        /// <summary>
        /// The last text passed to <see cref="Save"/>, or null: the cursors, the queue and a guest are restored from it. Keep
        /// a separate one for each player.
        /// </summary>
        public string SavedState { get; set; }

        /// <summary>
        /// Called when the cursors or the queue have changed, after the handlers of the events have run: at most ten times a
        /// second, but immediately with every queued call. Store the text before you return, such as in a file or in
        /// PlayerPrefs. It contains a guest's secret, which authenticates the player.
        /// </summary>
        public Action<string> Save { get; set; }

        /// <summary>A file that the client saves to, instead of the two above; it is made if it is missing. Not for WebGL.</summary>
        public string StateFile { get; set; }

        /// <summary>
        /// Returns a new token of the same player, for games whose server vouches for players: called when the session has
        /// expired. Without it, a guest signs in again by itself.
        /// </summary>
        public Func<Task<string>> Renew { get; set; }

        /// <summary>The maximum number of calls in the offline queue; further ones fail with <c>queue_full</c>.</summary>
        public int MaxQueued { get; set; } = 1000;

        /// <summary>Called with exceptions thrown by event handlers and by <see cref="Save"/>. Default: writes them to the console or Unity's log.</summary>
        public Action<Exception> OnHandlerError { get; set; } = Platform.LogError;

        public Func<ISocket> CreateSocket { get; set; } = Platform.CreateSocket;
        public IHttp Http { get; set; } = Platform.CreateHttp();
    }
}
