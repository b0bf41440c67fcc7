using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        /// <summary>A stored session that ends sooner is not used.</summary>
        private const long SessionReserveMs = 60000;

        /// <summary>How long the thread of <see cref="RunInBackground"/> waits for handlers after connecting.</summary>
        private const long HandlersMs = 50;

        /// <summary>The same while the code that awaits the connection runs.</summary>
        private const long MaxHandlersMs = 1000;

        /// <summary>When events are received and queued calls sent: later than the client is live, once the game has added its handlers.</summary>
        private long _receiveAt;

        private readonly List<Pause> _pauses = new List<Pause>();

        /// <summary>
        /// Returns a live client: of the player whose launcher opened the game, otherwise of the guest in the saved state,
        /// otherwise of a new guest. Handlers that are added directly after it has returned receive everything, including
        /// what was missed. In Unity, it is updated in every frame and saved in PlayerPrefs, see
        /// <c>GantryBehaviour.ConnectAsync</c>; elsewhere, it runs in a separate thread.
        /// </summary>
        /// <exception cref="GantryException">
        /// Such as <c>device_unknown</c> or <c>guest_upgraded</c>: never silently another player. The server could not be
        /// reached, or asked to wait, for longer than <see cref="ConnectOptions.SignInTimeout"/>.
        /// </exception>
        public static Task<GantryClient> ConnectAsync(ConnectOptions options, CancellationToken cancellationToken = default(CancellationToken))
        {
#if UNITY_5_3_OR_NEWER
            return GantryBehaviour.ConnectAsync(options, null, cancellationToken);
#else
            return new GantryClient(options).RunInBackground().SignInOrDisposeAsync(cancellationToken);
#endif
        }

        /// <summary>
        /// Signs in as <see cref="ConnectAsync"/> does, and completes when the client is live: for a client that was made
        /// with <see cref="ConnectOptions"/> and that the game updates itself.
        /// </summary>
        public Task SignInAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            var source = new TaskCompletionSource<GantryClient>();
            SignIn(source, cancellationToken);
            return source.Task;
        }

        internal async Task<GantryClient> SignInOrDisposeAsync(CancellationToken cancellationToken)
        {
            var source = new TaskCompletionSource<GantryClient>();
            SignIn(source, cancellationToken);
            try
            {
                return await source.Task.ConfigureAwait(false);
            }
            catch
            {
                Dispose();
                throw;
            }
        }

        private async void SignIn(TaskCompletionSource<GantryClient> source, CancellationToken cancellationToken)
        {
            try
            {
                lock (_gate) _receiveAt = long.MaxValue;
                var options = _options as ConnectOptions ?? throw new InvalidOperationException("Make the client with ConnectOptions, which name the game");
                if (string.IsNullOrEmpty(options.Game)) throw new ArgumentException("Game is missing: set it to the game's slug or id", nameof(options));
                var session = await FindSession(options, cancellationToken).ConfigureAwait(false);
                lock (_gate)
                {
                    ChoosePlace(session);
                    Adopt(session);
                }
                await ReadyAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                lock (_gate) _receiveAt = 0;
                if (error is OperationCanceledException) source.TrySetCanceled(cancellationToken);
                else source.TrySetException(error);
                return;
            }
            lock (_gate) _receiveAt = Now + MaxHandlersMs;
            // The code that awaits it runs in here, in this frame, or (with RunInBackground) soon.
            source.TrySetResult(this);
            lock (_gate) _receiveAt = _thread == null ? 0 : Now + HandlersMs;
            Notify();
        }

        /// <summary>The first session that the server accepts.</summary>
        private async Task<Session> FindSession(ConnectOptions options, CancellationToken cancellationToken)
        {
            var deadline = Now + (long)options.SignInTimeout.TotalMilliseconds;
            if (options.LauncherJwt != null) return await CheckSession(options.LauncherJwt, true, deadline, cancellationToken).ConfigureAwait(false);
            var ambient = LauncherToken.Find();
            if (ambient != null)
            {
                var opened = await SessionOrNull(ambient, true, deadline, cancellationToken).ConfigureAwait(false);
                if (opened != null) return opened;
            }
            var isSavedGuest = options.DeviceSecret == null || options.DeviceSecret == _deviceSecret;
            var stored = isSavedGuest ? _saved.Find("session") as JsonObject : null;
            if (stored != null && stored.Find("launcherJwt") is string token && Read.Integer(stored.Find("expiresAt")) > OfflineQueue.UnixMs() + SessionReserveMs)
            {
                var kept = await SessionOrNull(token, false, deadline, cancellationToken).ConfigureAwait(false);
                if (kept != null) return kept;
            }
            if (options.DeviceSecret != null) _deviceSecret = options.DeviceSecret;
            if (_deviceSecret == null && _saved.Find("wallet") != null) throw SessionEnded(); // of a player with a wallet
            return await SignInGuest(options.Game, _deviceSecret, options.Username, options.DeviceName, deadline, cancellationToken).ConfigureAwait(false);
        }

        private async Task<Session> SessionOrNull(string token, bool isOfLauncher, long deadline, CancellationToken cancellationToken)
        {
            try
            {
                return await CheckSession(token, isOfLauncher, deadline, cancellationToken).ConfigureAwait(false);
            }
            catch (GantryException error) when (error.Code == 401)
            {
                return null;
            }
        }

        private async Task<Session> CheckSession(string token, bool isOfLauncher, long deadline, CancellationToken cancellationToken)
        {
            var answer = await CallUntilAnswered("getPlayer", new JsonObject { { "launcherJwt", token } }, deadline, cancellationToken, (_options as ConnectOptions)?.Game).ConfigureAwait(false);
            var session = answer.Find("session") as JsonObject ?? new JsonObject();
            return new Session(token, OwnPlayer.From(answer.Find("player")), Read.OptionalInteger(session.Find("expiresAt")), session.Find("openedBy") as string)
            {
                IsOfLauncher = isOfLauncher
            };
        }

        /// <param name="secret">Null: a new guest.</param>
        private async Task<Session> SignInGuest(string game, string secret, string username, string deviceName, long deadline, CancellationToken cancellationToken)
        {
            var input = new JsonObject { { "gameId", game } };
            if (secret != null) input["deviceSecret"] = secret;
            else
            {
                if (username != null) input["username"] = username;
                if (deviceName != null) input["deviceName"] = deviceName;
            }
            var answer = await CallUntilAnswered(secret == null ? "createGuest" : "signInGuest", input, deadline, cancellationToken).ConfigureAwait(false);
            return Session.OfAnswer(answer, "device", secret ?? answer.Find("deviceSecret") as string, game);
        }

        /// <summary>Calls an operation that signs in, or renews, until the server has answered, or would only after the deadline.</summary>
        private async Task<JsonObject> CallUntilAnswered(string operation, JsonObject input, long deadline, CancellationToken cancellationToken, string game = null)
        {
            for (var failures = 0;; failures++)
            {
                long pauseMs;
                try
                {
                    return await CallAsync(operation, input, new CallOptions { IsOfSession = true, Game = game }, cancellationToken).ConfigureAwait(false);
                }
                catch (GantryException error) when (error.IsTemporary)
                {
                    pauseMs = PauseAfter(error, failures);
                    if (deadline - Now < pauseMs) throw;
                }
                await PauseAsync(pauseMs, cancellationToken).ConfigureAwait(false);
            }
        }

        private static long PauseAfter(GantryException error, int failures)
        {
            return (long)(error.RetryAfter ?? TimeSpan.FromSeconds(Math.Min(1 << Math.Min(failures, 5), 30))).TotalMilliseconds;
        }

        private Task PauseAsync(long ms, CancellationToken cancellationToken)
        {
            lock (_gate)
            {
                var pause = new Pause(Now + ms, NewWaiter<bool>(cancellationToken));
                if (_isDisposed) pause.Waiter.Complete(false, Closed());
                else _pauses.Add(pause);
                return pause.Waiter.Task;
            }
        }

        private void UpdatePauses()
        {
            foreach (var pause in _pauses.FindAll(one => one.Until <= Now || one.Waiter.Token.IsCancellationRequested)) EndPause(pause, null);
        }

        private void EndPause(Pause pause, Exception error)
        {
            _pauses.Remove(pause);
            Settle(pause.Waiter, true, pause.Waiter.Token.IsCancellationRequested ? new OperationCanceledException() : error);
        }

        private sealed class Pause
        {
            public long Until { get; }
            public Waiter<bool> Waiter { get; }

            public Pause(long until, Waiter<bool> waiter)
            {
                Until = until;
                Waiter = waiter;
            }
        }
    }
}
