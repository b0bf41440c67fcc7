using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        private const string ConnectedEvent = "realtime-events connected";
        private const string SkippedEvent = "realtime-events skipped";
        private const string SessionEvent = "game-channels patched";

        /// <summary>The delay before a retry when the server specifies none.</summary>
        private static readonly TimeSpan PassingPause = TimeSpan.FromSeconds(1);

        /// <summary>The windows of the rate limits are 30 and 60 s.</summary>
        private static readonly TimeSpan RateLimitedPause = TimeSpan.FromSeconds(10);

        private StreamPositions _cursors = new StreamPositions();
        private readonly Dictionary<string, List<Action<JsonObject, Meta>>> _handlers = new Dictionary<string, List<Action<JsonObject, Meta>>>();
        private readonly List<Action<string, JsonObject, Meta>> _anyHandlers = new List<Action<string, JsonObject, Meta>>();
        private readonly Dictionary<string, JsonObject> _subscriptions = new Dictionary<string, JsonObject>();
        private readonly List<Func<string, Task>> _resyncHandlers = new List<Func<string, Task>>();

        /// <summary>Streams being reloaded. Their cursors are not saved until then, so that a restart of the game reloads them too.</summary>
        private readonly Dictionary<string, Task> _loading = new Dictionary<string, Task>();

        private static readonly Task NotReloaded = new TaskCompletionSource<bool>().Task;

        /// <summary>Streams to reload, not yet reported to the handlers.</summary>
        private readonly List<string> _missed = new List<string>();

        private LeaderboardSubscription _leaderboards;
        private Friends _friends;
        private Config _config;
        private readonly OwnPresence _ownPresence;

        /// <summary>A leaderboard of the player's game, to follow it.</summary>
        /// <param name="name">Null: the default one.</param>
        public Leaderboard Leaderboard(string name = null)
        {
            lock (_gate)
            {
                _leaderboards = _leaderboards ?? new LeaderboardSubscription(this, _gate, Guard);
                return _leaderboards.Find(name ?? Gantry.Leaderboard.Default);
            }
        }

        /// <summary>The player's friends, with their presence.</summary>
        public Friends Friends
        {
            get
            {
                lock (_gate) return _friends ?? (_friends = new Friends(this, _gate, Guard));
            }
        }

        /// <summary>The game's config.</summary>
        public Config Config
        {
            get
            {
                lock (_gate)
                    return _config ?? (_config = new Config(this, _gate, _options.Label, time => PauseAsync((long)time.TotalMilliseconds, CancellationToken.None), Guard));
            }
        }

        /// <summary>Calls the handler for each event of this name, once and in order within its stream. Dispose of the returned object to unsubscribe.</summary>
        public IDisposable On<T>(Event<T> name, Action<T, Meta> handler)
        {
            lock (_gate)
            {
                if (!_handlers.TryGetValue(name.Name, out var handlers)) _handlers[name.Name] = handlers = new List<Action<JsonObject, Meta>>();
                Action<JsonObject, Meta> typed = (record, meta) => handler(name.ReadRecord(record), meta);
                handlers.Add(typed);
                return new Subscription(() =>
                {
                    lock (_gate) handlers.Remove(typed);
                });
            }
        }

        /// <summary>Calls the handler for each event and signal, including those unknown to this version of the SDK.</summary>
        public IDisposable OnAny(Action<string, JsonObject, Meta> handler)
        {
            lock (_gate)
            {
                _anyHandlers.Add(handler);
                return new Subscription(() =>
                {
                    lock (_gate) _anyHandlers.Remove(handler);
                });
            }
        }

        /// <summary>
        /// Calls the handler with each stream whose history is not available (at the first connection, or after too long an
        /// absence): reload the stream's data; later events follow without a gap. The stream's cursor is saved once the task
        /// that the handler returns has completed.
        /// </summary>
        public IDisposable OnResync(Func<string, Task> handler)
        {
            lock (_gate)
            {
                _resyncHandlers.Add(handler);
                return new Subscription(() =>
                {
                    lock (_gate) _resyncHandlers.Remove(handler);
                });
            }
        }

        /// <summary>The same with a synchronous handler.</summary>
        public IDisposable OnResync(Action<string> handler)
        {
            return OnResync(stream =>
            {
                handler(stream);
                return Task.FromResult(true);
            });
        }

        JsonObject IConnectionListener.Handshake()
        {
            var handshake = new JsonObject();
            if (_token != null)
            {
                handshake["launcherJwt"] = _token;
                _cursors.AddTo(handshake);
            }
            if (_ownPresence.Status != null) handshake["status"] = _ownPresence.Status;
            if (_options.GameVersion != null) handshake["gameVersion"] = _options.GameVersion;
            handshake["gantryVersion"] = Sdk.Version;
            if (_options.GameSecret != null) handshake["gameSecret"] = _options.GameSecret;
            return handshake;
        }

        void IConnectionListener.OnAccepted()
        {
            if (_token != null) return; // live with the first event
            _connection.Succeeded();
            SetStatus(new Status(ConnectionState.Live));
        }

        void IConnectionListener.OnEvent(string name, JsonObject record, JsonObject json)
        {
            if (name == ConnectedEvent)
            {
                _sessionId = record.Find("sessionId") as string;
                _endReason = null;
                Begin(record.Find("streams") as JsonObject ?? new JsonObject(), record.Find("warning") as string);
                return;
            }
            var meta = new Meta(json);
            if (meta.Stream == null) return;
            var verdict = _cursors.Judge(name, meta, record.Find("_id") as string);
            if (verdict == Verdict.Gap)
            {
                LoseCalls();
                _connection.Reopen(Now);
                SetStatus(new Status(ConnectionState.Connecting));
                return;
            }
            if (verdict == Verdict.Drop) return;
            if (meta.Seq != null) _isDirty = true;
            if (name == SkippedEvent) return;
            if (name == Events.FriendPresencePatched.Name) _ownPresence.Learn(record.Find("own") as JsonObject);
            if (name == SessionEvent && record.Find("exists") as bool? == false && record.Find("_id") as string == _sessionId) _endReason = record.Find("endReason") as string;
            Handle(() =>
            {
                if (_handlers.TryGetValue(name, out var handlers))
                    foreach (var handler in handlers.ToList()) Guard(() => handler(record, meta));
                foreach (var handler in _anyHandlers.ToList()) Guard(() => handler(name, record, meta));
            });
        }

        /// <summary>Saves only the cursors of events whose handlers have run.</summary>
        private void Handle(Action handle)
        {
            _isHandling = true;
            handle();
            _isHandling = false;
            if (_isSaveDue) SaveNow();
        }

        void IConnectionListener.OnAnswer(long id, JsonObject error, JsonObject result)
        {
            var call = _pending.Find(one => one.SocketId == id);
            if (call == null) return; // it has timed out
            call.SocketId = null;
            if (error != null)
            {
                Fail(call, new GantryException(error));
                return;
            }
            // Before the next event of the stream is judged.
            if (call.Operation.Name == "subscribe") Subscribed(result, call.Data);
            else if (call.Operation.Name == "unsubscribe") Unsubscribed(result);
            else if (call.Operation.Name == "followPresence") _ownPresence.Learn(result.Find("own") as JsonObject);
            Succeed(call, result);
        }

        void IConnectionListener.OnLost()
        {
            LoseCalls();
            SetStatus(new Status(ConnectionState.Connecting));
        }

        void IConnectionListener.OnEnded()
        {
            LoseCalls();
            var endReason = _endReason;
            if (endReason != Expired || !CanSignInAgain)
            {
                End(endReason);
                return;
            }
            SetStatus(new Status(ConnectionState.Connecting));
            SignInAgain(error => End(endReason));
        }

        TimeSpan? IConnectionListener.OnRefused(GantryException error)
        {
            if (error.Reason == "cursors_invalid" && _cursors.Count > 0)
            {
                _cursors.Clear(); // every stream has to be reloaded
                _isDirty = true;
                return TimeSpan.Zero;
            }
            if (error.Code == 429) return error.RetryAfter ?? RateLimitedPause;
            if (error.Code >= 500) return error.RetryAfter ?? PassingPause;
            if (error.IsExpiry && _wasLive && CanSignInAgain)
            {
                SetStatus(new Status(ConnectionState.Connecting));
                SignInAgain(again => Refuse(again ?? error));
            }
            else if (_ownPresence.Reduce(error.Reason)) return TimeSpan.Zero;
            else Refuse(error);
            return null;
        }

        private void Begin(JsonObject streams, string warning)
        {
            long replayed = 0;
            foreach (var member in streams)
            {
                var stream = (JsonObject)member.Value;
                var cursor = new Cursor((string)stream.Find("epoch"), Read.Integer(stream.Find("seq")));
                var isRecovered = Read.Boolean(stream.Find("recovered"));
                var isSameHistory = _cursors.TryGet(member.Key, out var own) && own.Epoch == cursor.Epoch;
                replayed += Read.Integer(stream.Find("latest")) - cursor.Seq;
                if (isRecovered && isSameHistory && own.Seq > cursor.Seq) continue; // replayed events are dropped
                // The cursor may have been omitted: then nothing was missed if it equals the stream's position.
                if (!isRecovered && !(isSameHistory && own.Seq == cursor.Seq)) _missed.Add(member.Key);
                _cursors.Set(member.Key, cursor);
            }
            // The player no longer receives a stream that is not listed.
            foreach (var stream in _cursors.Streams)
                if (!streams.ContainsKey(stream)) _cursors.Forget(stream);
            _isDirty = true;
            _connection.Succeeded();
            foreach (var stream in _missed) _loading[stream] = NotReloaded;
            RaiseResyncs();
            _wasLive = true;
            _ownPresence.Repeat(SendAgain);
            SetStatus(new Status(ConnectionState.Live, replayed, warning: warning));
            foreach (var subscription in _subscriptions.ToList())
                if (!streams.ContainsKey(subscription.Key)) SubscribeAgain(subscription.Value);
        }

        private void Subscribed(JsonObject answer, JsonObject data)
        {
            var stream = (string)answer.Find("stream");
            _subscriptions[stream] = data;
            _cursors.Begin(stream, new Cursor((string)answer.Find("epoch"), Read.Integer(answer.Find("seq"))));
            _isDirty = true;
        }

        private void Unsubscribed(JsonObject answer)
        {
            var stream = (string)answer.Find("stream");
            _subscriptions.Remove(stream);
            _cursors.Forget(stream); // with a cursor, the next connection would subscribe again
            _isDirty = true;
        }

        /// <summary>The server knows of a subscription by its cursor; this one's was lost with those it refused.</summary>
        private void SubscribeAgain(JsonObject data)
        {
            _pending.Add(new PendingCall
            {
                Operation = Operations.Find("subscribe"),
                Data = data,
                Over = Transport.Socket,
                TimeoutMs = (long)_options.Timeout.TotalMilliseconds,
                AttemptDeadline = Now + (long)_options.Timeout.TotalMilliseconds,
                IsRepeatable = true,
                Settle = (result, error) =>
                {
                    if (result != null) RaiseResync((string)result.Find("stream"));
                }
            });
        }

        /// <summary>Once: a later call may set something else.</summary>
        private void SendAgain(Operation operation, JsonObject data, Action succeeded)
        {
            _pending.Add(new PendingCall
            {
                Operation = operation,
                Data = data,
                Over = Transport.Socket,
                TimeoutMs = (long)_options.Timeout.TotalMilliseconds,
                AttemptDeadline = Now + (long)_options.Timeout.TotalMilliseconds,
                Failures = _options.Retries,
                Settle = (result, error) =>
                {
                    if (error == null) succeeded();
                }
            });
        }

        /// <summary>Once the game has added its handlers, see <see cref="ConnectAsync"/>.</summary>
        bool IConnectionListener.IsReceiving
        {
            get { return Status.State != ConnectionState.Live || Now >= _receiveAt; }
        }

        private void RaiseResyncs()
        {
            if (_missed.Count == 0 || Now < _receiveAt) return;
            Handle(() => _missed.ForEach(RaiseResync));
            _missed.Clear();
        }

        private void RaiseResync(string stream)
        {
            var loading = new List<Task>();
            foreach (var handler in _resyncHandlers.ToList()) Guard(() => loading.Add(handler(stream)));
            _loading[stream] = Task.WhenAll(loading);
        }
    }
}
