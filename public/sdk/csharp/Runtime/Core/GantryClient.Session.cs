using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        /// <summary>Why a session has ended whose player may open another one.</summary>
        private const string Expired = "expired";

        private Session _session;
        private string _token;

        /// <summary>Of the connection's session, from the event that precedes its end.</summary>
        private string _endReason;

        private string _sessionId;

        /// <summary>Whether the connection was live with the current token.</summary>
        private bool _wasLive;

        /// <summary>Of the attempts to sign in again; a result of an earlier one is not used.</summary>
        private int _signIns;

        private bool _isSigningIn;
        private long _renewAt = long.MaxValue;
        private int _renewFailures;

        /// <summary>The signed-in player; null for a client without one, or whose token came from elsewhere than a sign-in of this SDK.</summary>
        public OwnPlayer Player { get; private set; }

        /// <summary>Uses a session from now on, and connects.</summary>
        private void Adopt(Session session)
        {
            lock (_gate)
            {
                if (_isDisposed) throw Closed();
                _session = session;
                if (session.Player != null) Player = session.Player;
                if (session.DeviceSecret != null) _deviceSecret = session.DeviceSecret;
                ScheduleRenewal();
                Open(session.Token);
                SaveNow();
            }
            Notify();
        }

        private void Open(string token)
        {
            _signIns++;
            _isSigningIn = false;
            _token = token;
            _wasLive = false;
            _isQueueHeld = false;
            LoseCalls();
            foreach (var call in _pending) call.IsWaitingForSignIn = false;
            Connect();
        }

        /// <summary>In the last tenth of its lifetime; only what the player opened is renewed.</summary>
        private void ScheduleRenewal()
        {
            var isOwn = _session?.OpenedBy == "device" || _session?.OpenedBy == "wallet";
            _renewFailures = 0;
            _renewAt = isOwn && _session.ExpiresAt != null ? Now + (_session.ExpiresAt.Value - OfflineQueue.UnixMs()) * 9 / 10 : long.MaxValue;
        }

        private void UpdateSession()
        {
            if (Now < _renewAt || Status.State != ConnectionState.Live || _isSigningIn) return;
            _renewAt = long.MaxValue;
            Renew(_session);
        }

        private async void Renew(Session session)
        {
            try
            {
                var answer = await CallAsync("renewChannelSession", WithToken(), new CallOptions { IsOfSession = true }).ConfigureAwait(false);
                var renewed = Session.OfAnswer(answer, session.OpenedBy, session.DeviceSecret, session.Game);
                lock (_gate)
                {
                    if (_session != session) return; // signed in again meanwhile
                    _session = new Session(renewed.Token, Player, renewed.ExpiresAt, session.OpenedBy)
                    {
                        IsOfLauncher = session.IsOfLauncher, DeviceSecret = session.DeviceSecret, Game = session.Game
                    };
                    _token = renewed.Token; // of the same session: the connection stays
                    if (renewed.ExpiresAt > session.ExpiresAt) ScheduleRenewal();
                    SaveNow();
                }
                await ReadPlayer().ConfigureAwait(false);
            }
            catch (GantryException error) when (error.IsTemporary)
            {
                lock (_gate)
                {
                    if (_session == session) _renewAt = Now + PauseAfter(error, _renewFailures++);
                }
            }
            catch (GantryException)
            {
                // Not renewed again: the session ends as it was to.
            }
            catch (Exception error)
            {
                _options.OnHandlerError?.Invoke(error); // such as an answer in another form
            }
        }

        private async Task ReadPlayer()
        {
            try
            {
                var answer = await CallAsync("getPlayer", WithToken(), new CallOptions { IsOfSession = true }).ConfigureAwait(false);
                lock (_gate) Player = OwnPlayer.From(answer.Find("player"));
            }
            catch (GantryException)
            {
                // It is read again with the next renewal.
            }
        }

        private JsonObject WithToken()
        {
            return new JsonObject { { "launcherJwt", _token } };
        }

        private async Task<JsonObject> ThenReadPlayer(Task<JsonObject> call)
        {
            var answer = await call.ConfigureAwait(false);
            await ReadPlayer().ConfigureAwait(false);
            return answer;
        }

        private bool CanSignInAgain
        {
            get { return _options.Renew != null || (_session != null && !_session.IsOfLauncher && _session.OpenedBy == "device" && _deviceSecret != null && Game != null); }
        }

        private string Game
        {
            get { return _session?.Game ?? (_options as ConnectOptions)?.Game; }
        }

        /// <param name="giveUp">Ends the client: with the error of signing in; null: the player is another one, or the client cannot sign in.</param>
        private async void SignInAgain(Action<GantryException> giveUp)
        {
            if (_isSigningIn) return;
            _isSigningIn = true;
            var signIn = ++_signIns;
            Session session = null;
            GantryException refusal = null;
            try
            {
                if (_options.Renew == null) session = await SignInGuest(Game, _deviceSecret, null, null, long.MaxValue, CancellationToken.None).ConfigureAwait(false);
                else session = await CheckSession(await RenewedToken(signIn).ConfigureAwait(false), true, long.MaxValue, CancellationToken.None).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                refusal = error as GantryException;
                if (refusal == null) _options.OnHandlerError?.Invoke(error); // of the game's function
            }
            lock (_gate)
            {
                if (_isDisposed || signIn != _signIns) return; // closed, or given another token
                _isSigningIn = false;
                if (session != null && (Player == null || session.Wallet == Player.Wallet)) Adopt(session);
                else giveUp(refusal);
            }
        }

        private async Task<string> RenewedToken(int signIn)
        {
            for (var failures = 0;; failures++)
            {
                long pauseMs;
                try
                {
                    return await _options.Renew().ConfigureAwait(false);
                }
                catch (GantryException error) when (error.IsTemporary && signIn == _signIns)
                {
                    pauseMs = PauseAfter(error, failures);
                }
                await PauseAsync(pauseMs, CancellationToken.None).ConfigureAwait(false);
            }
        }

        private void End(string endReason)
        {
            _connection.Close();
            SetStatus(new Status(ConnectionState.Ended, 0, null, endReason));
            RejectCalls(SessionEnded());
        }

        private void Refuse(GantryException refusal)
        {
            _connection.Close();
            SetStatus(new Status(ConnectionState.Refused, 0, refusal));
            RejectCalls(refusal);
        }
    }
}
