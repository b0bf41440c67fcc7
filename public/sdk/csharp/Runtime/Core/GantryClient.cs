using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>
    /// A game's connection to Gantry: calls, and events, each delivered once and in order within its stream, also across
    /// lost connections. Call <see cref="Update"/> regularly, such as in every frame of Unity: it does all work, including
    /// handlers, in the thread that calls it. A program without frames calls <see cref="RunInBackground"/> instead.
    /// </summary>
    public sealed class GantryClient : GantryCalls, IConnectionListener, IDisposable
    {
        private const string ConnectedEvent = "realtime-events connected";
        private const string SkippedEvent = "realtime-events skipped";

        /// <summary>The delay before a retry when the server specifies none.</summary>
        private static readonly TimeSpan PassingPause = TimeSpan.FromSeconds(1);

        /// <summary>The windows of the rate limits are 30 and 60 s.</summary>
        private static readonly TimeSpan RateLimitedPause = TimeSpan.FromSeconds(10);

        /// <summary>The minimum interval between two saves, except for queued calls, which are saved immediately.</summary>
        private const long SaveIntervalMs = 100;

        private readonly object _gate = new object();
        private readonly GantryOptions _options;
        private readonly StreamPositions _cursors = new StreamPositions();
        private readonly OfflineQueue _queue = new OfflineQueue();
        private readonly Connection _connection;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly List<PendingCall> _pending = new List<PendingCall>();
        private readonly List<ReadyWait> _readyWaits = new List<ReadyWait>();
        private readonly List<Action> _completions = new List<Action>();
        private readonly Dictionary<string, List<Action<JsonObject, Meta>>> _handlers = new Dictionary<string, List<Action<JsonObject, Meta>>>();
        private readonly List<Action<string, JsonObject, Meta>> _anyHandlers = new List<Action<string, JsonObject, Meta>>();
        private readonly Dictionary<string, JsonObject> _subscriptions = new Dictionary<string, JsonObject>();
        private AutoResetEvent _activity; // with a thread of our own only: WebGL has none
        private readonly List<Func<string, Task>> _resyncHandlers = new List<Func<string, Task>>();

        /// <summary>Streams being reloaded. Their cursors are not saved until then, so that a restart of the game reloads them too.</summary>
        private readonly Dictionary<string, Task> _loading = new Dictionary<string, Task>();

        private readonly Dictionary<QueuedCall, TaskCompletionSource<JsonObject>> _queuedTasks = new Dictionary<QueuedCall, TaskCompletionSource<JsonObject>>();
        private string _token;
        private string _deviceSecret;
        private bool _isDirty;
        private bool _isHandling;
        private bool _isSaveDue;
        private long _savedAt = -SaveIntervalMs;
        private bool _isQueueHeld;
        private Thread _thread;
        private volatile bool _isDisposed;

        /// <exception cref="FormatException">The saved state cannot be read.</exception>
        public GantryClient(GantryOptions options)
        {
            _options = options ?? throw new ArgumentNullException(nameof(options));
            if (string.IsNullOrEmpty(options.Url)) throw new ArgumentException("Url is missing: set it to the server's URL, such as http://127.0.0.1:3000", nameof(options));
            _token = options.LauncherJwt;
            Status = new Status(ConnectionState.Closed);
            _connection = new Connection(options.CreateSocket, SocketUrl, this, Notify);
            if (options.SavedState != null) Load(options.SavedState);
        }

        /// <summary>The status of the connection.</summary>
        public Status Status { get; private set; }

        /// <summary>The player's token; null before signing in.</summary>
        public string LauncherJwt
        {
            get { return _token; }
        }

        /// <summary>The position in every stream. <see cref="GantryOptions.Save"/> stores them automatically.</summary>
        public IReadOnlyDictionary<string, Cursor> Cursors
        {
            get
            {
                lock (_gate)
                {
                    return _cursors.Streams.ToDictionary(stream => stream, stream => _cursors.TryGet(stream, out var cursor) ? cursor : default(Cursor));
                }
            }
        }

        /// <summary>The queued writes that have no response yet, in order.</summary>
        public IReadOnlyList<QueuedCall> Queue
        {
            get
            {
                lock (_gate) return _queue.Calls;
            }
        }

        public event Action<Status> StatusChanged;

        /// <summary>A queued call has completed, including one queued before a restart of the game, for which there is no task.</summary>
        public event Action<QueuedAnswer> QueuedCallEnded;

        /// <summary>Connects, and reconnects automatically from then on. Without a token, only operations that need none can be called, and no events are received.</summary>
        public void Connect()
        {
            lock (_gate)
            {
                _connection.Open(Now);
                SetStatus(new Status(ConnectionState.Connecting));
            }
            Notify();
        }

        /// <summary>Replaces the token and connects. If cursors were loaded, the token must be the same player's.</summary>
        public void UseToken(string launcherJwt)
        {
            lock (_gate)
            {
                _token = launcherJwt;
                _isQueueHeld = false;
                LoseCalls();
            }
            Connect();
        }

        /// <summary>Completes when the connection is live.</summary>
        /// <exception cref="GantryException">
        /// It was refused, or the session has ended; <c>connection_lost</c> after <see cref="GantryOptions.Timeout"/> of
        /// connecting: the client continues to try.
        /// </exception>
        public Task ReadyAsync()
        {
            lock (_gate)
            {
                var source = NewSource<bool>();
                Action<Status> settle = null;
                settle = status =>
                {
                    GantryException error = null;
                    if (_isDisposed) error = Closed();
                    else if (status.State == ConnectionState.Refused) error = status.Error;
                    else if (status.State == ConnectionState.Ended) error = SessionEnded();
                    else if (status.State != ConnectionState.Live) return;
                    StatusChanged -= settle;
                    _readyWaits.RemoveAll(one => one.Source == source);
                    Settle(source, true, error);
                };
                StatusChanged += settle;
                _readyWaits.Add(new ReadyWait { Source = source, Cancel = () => StatusChanged -= settle });
                settle(Status);
                return source.Task;
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

        /// <summary>Calls with another token over the same connection, as a launcher does for a game's session.</summary>
        public GantryCalls As(string launcherJwt)
        {
            return new ScopedCalls(this, "launcherJwt", launcherJwt);
        }

        /// <summary>Calls for a player, as a game's server with its <see cref="GantryOptions.GameSecret"/>.</summary>
        public GantryCalls ForPlayer(string wallet)
        {
            return new ScopedCalls(this, "wallet", wallet);
        }

        /// <summary>
        /// Signs in as a guest and connects: as the guest whose secret is in the saved state, or as a new one. The secret
        /// authenticates the player: a game that stores it elsewhere, such as in the system's keychain, passes it here.
        /// </summary>
        /// <exception cref="GantryException">Such as <c>guests_forbidden</c>, or <c>guest_upgraded</c>: sign in with the wallet.</exception>
        public async Task<GuestSignIn> SignInAsGuestAsync(string gameId, string deviceSecret = null, string deviceName = null)
        {
            var secret = deviceSecret ?? _deviceSecret;
            var input = new JsonObject { { "gameId", gameId } };
            if (secret != null) input["deviceSecret"] = secret;
            else if (deviceName != null) input["deviceName"] = deviceName;
            var answer = await CallOverHttp(secret == null ? "createGuest" : "signInGuest", input);
            lock (_gate)
            {
                _deviceSecret = secret ?? answer.Find("deviceSecret") as string;
                SaveNow();
            }
            UseToken(answer.Find("launcherJwt") as string);
            return new GuestSignIn(answer.Find("wallet") as string, _deviceSecret);
        }

        /// <summary>Signs in with a wallet and connects.</summary>
        /// <param name="sign">Signs a text with the wallet's <c>personal_sign</c> (EIP-191) and returns the signature, <c>0x…</c>.</param>
        /// <param name="chainId">The chain of a contract wallet.</param>
        /// <exception cref="GantryException">Such as <c>wallet_signature_invalid</c>.</exception>
        public async Task SignInWithWalletAsync(string gameId, string wallet, Func<string, Task<string>> sign, long? chainId = null)
        {
            var input = new JsonObject { { "gameId", gameId }, { "wallet", wallet } };
            if (chainId != null) input["chainId"] = chainId;
            var asked = await CallOverHttp("createUnverifiedChannel", input);
            UseToken(await Sign("verifyUnverifiedChannel", asked, sign, chainId));
        }

        /// <summary>Links a wallet to the signed-in guest. All data is kept; the guest's devices can no longer sign in.</summary>
        /// <param name="sign">As for <see cref="SignInWithWalletAsync"/>.</param>
        /// <exception cref="GantryException">Such as <c>wallet_taken</c>.</exception>
        public async Task UpgradeGuestWithWalletAsync(string wallet, Func<string, Task<string>> sign, long? chainId = null)
        {
            var input = new JsonObject { { "wallet", wallet } };
            if (chainId != null) input["chainId"] = chainId;
            var asked = await CallOverHttp("requestGuestUpgrade", input);
            var token = await Sign("upgradeGuest", asked, sign, chainId);
            lock (_gate)
            {
                _deviceSecret = null;
                SaveNow();
            }
            UseToken(token);
        }

        private async Task<string> Sign(string operation, JsonObject asked, Func<string, Task<string>> sign, long? chainId)
        {
            var signature = await sign(asked.Find("signRequest") as string);
            var input = new JsonObject { { "channelId", asked.Find("channelId") }, { "signature", signature } };
            if (chainId != null) input["chainId"] = chainId;
            return (await CallOverHttp(operation, input)).Find("launcherJwt") as string;
        }

        private Task<JsonObject> CallOverHttp(string operation, JsonObject input)
        {
            return CallAsync(operation, input, new CallOptions { Over = Transport.Http });
        }

        public override Task<JsonObject> CallAsync(Operation operation, JsonObject input = null, CallOptions options = null)
        {
            options = options ?? new CallOptions();
            var data = new JsonObject(input ?? new JsonObject());
            if (options.IdempotencyKey != null) data["idempotencyKey"] = options.IdempotencyKey;
            var source = NewSource<JsonObject>();
            lock (_gate)
            {
                if (_isDisposed) source.SetException(Closed());
                else if (options.IsQueued) Enqueue(operation, data, source);
                else
                {
                    _pending.Add(new PendingCall
                    {
                        Operation = operation,
                        Data = data,
                        Over = operation.IsAboutConnection ? Transport.Socket : options.Over ?? _options.CallOver,
                        TimeoutMs = (long)(options.Timeout ?? _options.Timeout).TotalMilliseconds,
                        AttemptDeadline = Now + (long)(options.Timeout ?? _options.Timeout).TotalMilliseconds,
                        IsRepeatable = operation.Repeat == Repeat.Always || data.ContainsKey("idempotencyKey"),
                        Settle = (result, error) => Settle(source, result, error)
                    });
                }
            }
            Notify();
            return source.Task;
        }

        private void Enqueue(Operation operation, JsonObject data, TaskCompletionSource<JsonObject> source)
        {
            if (operation.Repeat != Repeat.WithKey)
                throw new ArgumentException(operation.Name + " cannot be queued: it is no write that takes an idempotency key");
            if (_queue.Count >= _options.MaxQueued)
            {
                source.SetException(new GantryException("queue_full", "The offline queue is full (" + _options.MaxQueued + " calls)"));
                return;
            }
            var key = data.Find("idempotencyKey") as string ?? Guid.NewGuid().ToString();
            data.Remove("idempotencyKey");
            var call = new QueuedCall(operation, data, key, OfflineQueue.UnixMs());
            _queue.Add(call);
            _queuedTasks[call] = source;
            SaveNow();
        }

        /// <summary>
        /// Processes pending work: receives, calls handlers, sends, reconnects. Returns immediately. Call it often; 20 times
        /// a second suffices.
        /// </summary>
        public void Update()
        {
            List<Action> completions;
            lock (_gate)
            {
                if (_isDisposed) return;
                _connection.Update(Now);
                UpdateQueue();
                foreach (var call in _pending.ToList()) UpdateCall(call);
                foreach (var wait in _readyWaits.ToList()) UpdateReadyWait(wait);
                Save();
                completions = _completions.ToList();
                _completions.Clear();
            }
            // What awaits them may call again, and block.
            foreach (var complete in completions) complete();
        }

        /// <summary>
        /// Calls <see cref="Update"/> from a separate thread, for programs without frames. Handlers then run in that
        /// thread, and continuations of calls in the thread pool. Not for WebGL.
        /// </summary>
        /// <returns>This client.</returns>
        public GantryClient RunInBackground()
        {
            lock (_gate)
            {
                if (_thread != null || _isDisposed) return this;
                _activity = new AutoResetEvent(false);
                _thread = new Thread(UpdateUntilDisposed) { IsBackground = true, Name = "Gantry" };
                _thread.Start();
                return this;
            }
        }

        private void UpdateUntilDisposed()
        {
            while (!_isDisposed)
            {
                Update();
                _activity.WaitOne(50);
            }
        }

        /// <summary>Disconnects until <see cref="Connect"/> is called. Until then, calls are sent over HTTP.</summary>
        public void Close()
        {
            lock (_gate)
            {
                _connection.Close();
                LoseCalls();
                if (_isDirty) SaveNow();
                SetStatus(new Status(ConnectionState.Closed));
            }
            Notify();
        }

        /// <summary>Closes the client permanently; pending calls fail with <c>client_closed</c>. The queue is kept by <see cref="GantryOptions.Save"/>.</summary>
        public void Dispose()
        {
            List<Action> completions;
            lock (_gate)
            {
                if (_isDisposed) return;
                Close();
                _isDisposed = true;
                foreach (var call in _pending)
                {
                    call.Http?.Abort();
                    if (call.Queued == null) call.Settle(null, Closed());
                }
                foreach (var source in _queuedTasks.Values) Settle(source, null, Closed());
                _pending.Clear();
                SetStatus(new Status(ConnectionState.Closed)); // completes ReadyAsync too
                completions = _completions.ToList();
            }
            foreach (var complete in completions) complete();
            Notify();
        }

        JsonObject IConnectionListener.Handshake()
        {
            var handshake = new JsonObject();
            if (_token != null)
            {
                handshake["launcherJwt"] = _token;
                _cursors.AddTo(handshake);
            }
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
                Begin(record.Find("streams") as JsonObject ?? new JsonObject());
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
            SetStatus(new Status(ConnectionState.Ended));
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
            SetStatus(new Status(ConnectionState.Refused, 0, error));
            return null;
        }

        private void Begin(JsonObject streams)
        {
            long replayed = 0;
            var missed = new List<string>();
            foreach (var member in streams)
            {
                var stream = (JsonObject)member.Value;
                var cursor = new Cursor((string)stream.Find("epoch"), Read.Integer(stream.Find("seq")));
                var isRecovered = Read.Boolean(stream.Find("recovered"));
                var isSameHistory = _cursors.TryGet(member.Key, out var own) && own.Epoch == cursor.Epoch;
                replayed += Read.Integer(stream.Find("latest")) - cursor.Seq;
                if (isRecovered && isSameHistory && own.Seq > cursor.Seq) continue; // replayed events are dropped
                // The cursor may have been omitted: then nothing was missed if it equals the stream's position.
                if (!isRecovered && !(isSameHistory && own.Seq == cursor.Seq)) missed.Add(member.Key);
                _cursors.Set(member.Key, cursor);
            }
            // The player no longer receives a stream that is not listed.
            foreach (var stream in _cursors.Streams)
                if (!streams.ContainsKey(stream)) _cursors.Forget(stream);
            _isDirty = true;
            _connection.Succeeded();
            Handle(() => missed.ForEach(RaiseResync));
            SetStatus(new Status(ConnectionState.Live, replayed));
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

        private void RaiseResync(string stream)
        {
            var loading = new List<Task>();
            foreach (var handler in _resyncHandlers.ToList()) Guard(() => loading.Add(handler(stream)));
            _loading[stream] = Task.WhenAll(loading);
        }

        private void UpdateQueue()
        {
            var call = _queue.First;
            if (call == null || _isQueueHeld || (_token == null && _options.GameSecret == null)) return;
            if (_pending.Any(one => one.Queued != null)) return;
            if (OfflineQueue.IsExpired(call))
            {
                EndQueued(call, null, new GantryException("queue_expired",
                    "The call was sent over a day ago and has no response; a retry might execute it twice"));
                return;
            }
            _pending.Add(new PendingCall
            {
                Operation = call.Operation,
                Data = new JsonObject(call.Input) { { "idempotencyKey", call.IdempotencyKey } },
                Over = _options.CallOver,
                TimeoutMs = (long)_options.Timeout.TotalMilliseconds,
                AttemptDeadline = long.MaxValue, // until it is sent
                IsRepeatable = true,
                Queued = call,
                Settle = (result, error) => EndQueued(call, result, error)
            });
        }

        private void EndQueued(QueuedCall call, JsonObject result, GantryException error)
        {
            _queue.Remove(call);
            SaveNow();
            if (_queuedTasks.TryGetValue(call, out var source))
            {
                _queuedTasks.Remove(call);
                Settle(source, result, error);
            }
            _completions.Add(() => Guard(() => QueuedCallEnded?.Invoke(new QueuedAnswer(call, result, error))));
        }

        private void UpdateReadyWait(ReadyWait wait)
        {
            if (Status.State != ConnectionState.Connecting || wait.Deadline == null) wait.Deadline = Now + (long)_options.Timeout.TotalMilliseconds;
            else if (Now > wait.Deadline)
            {
                _readyWaits.Remove(wait);
                wait.Cancel();
                Settle(wait.Source, false, new GantryException("connection_lost",
                    "No connection to Gantry at " + _options.Url + " after " + _options.Timeout.TotalSeconds + " s; the client continues to try"));
            }
        }

        private void UpdateCall(PendingCall call)
        {
            var now = Now;
            if (call.Http != null && call.Http.IsDone) TakeHttpAnswer(call);
            else if (now > call.AttemptDeadline) Fail(call, GantryException.ConnectionLost());
            else if (!call.IsSent && now >= call.NotBefore) Send(call);
        }

        private void Send(PendingCall call)
        {
            var isOverHttp = call.Over == Transport.Http || (Status.State == ConnectionState.Closed && !call.Operation.IsAboutConnection);
            if (!isOverHttp && Status.State == ConnectionState.Refused) Fail(call, Status.Error);
            else if (!isOverHttp && Status.State == ConnectionState.Ended) Fail(call, SessionEnded());
            else if (isOverHttp || _connection.IsAccepted)
            {
                call.AttemptDeadline = Now + call.TimeoutMs;
                if (call.Queued != null) MarkSent(call.Queued);
                try
                {
                    if (isOverHttp) SendOverHttp(call);
                    else call.SocketId = _connection.Call(call.Operation.Name, call.Data);
                }
                catch (ArgumentException error)
                {
                    Fail(call, new GantryException("input_invalid", error.Message, 400)); // it has no form in JSON
                }
                catch (GantryException error)
                {
                    Fail(call, error);
                }
            }
        }

        /// <summary>Recorded before it is sent, because after a crash it may have been executed.</summary>
        private void MarkSent(QueuedCall call)
        {
            if (call.IsSent) return;
            call.IsSent = true;
            SaveNow();
        }

        private void SendOverHttp(PendingCall call)
        {
            var headers = new Dictionary<string, string> { { "Content-Type", "application/json" }, { "X-Service-Method", call.Operation.Name } };
            if (_options.GameSecret != null) headers["Authorization"] = "Bearer " + _options.GameSecret;
            var data = new JsonObject(call.Data);
            if (_token != null && !data.ContainsKey("launcherJwt")) data["launcherJwt"] = _token;
            call.Http = _options.Http.Post(_options.Url.TrimEnd('/') + "/launcher", headers, Json.Write(data), Notify);
        }

        private void TakeHttpAnswer(PendingCall call)
        {
            var http = call.Http;
            JsonObject body;
            try
            {
                body = Json.ParseObject(http.Body ?? "");
            }
            catch (FormatException)
            {
                body = null; // empty, or the error page of a proxy
            }
            if (body == null && (http.Status == 429 || http.Status == 503)) Fail(call, GantryException.FromProxy(http));
            else if (http.Status == 0 || body == null) Fail(call, GantryException.ConnectionLost());
            else if (http.Status >= 400) Fail(call, new GantryException(body));
            else Succeed(call, body);
        }

        private void Succeed(PendingCall call, JsonObject result)
        {
            Finish(call, result, null);
        }

        /// <summary>Retries the call later if that is safe and there is time; otherwise it fails.</summary>
        private void Fail(PendingCall call, GantryException error)
        {
            call.Unsend();
            var isSignedOut = error.IsSignedOut || error == Status.Error;
            if (call.Queued != null && isSignedOut && !call.Data.ContainsKey("launcherJwt"))
            {
                _pending.Remove(call); // it stays first in the queue
                _isQueueHeld = true;
                return;
            }
            var isSafe = error.IsPassing || (error.Reason == "connection_lost" && call.IsRepeatable);
            var pauseMs = error.RetryAfter?.TotalMilliseconds ?? Math.Min(250 << Math.Min(call.Failures, 5), 5000);
            var isTooMuch = call.Failures >= _options.Retries || pauseMs > _options.MaxRetryDelay.TotalMilliseconds;
            if (!isSafe || (isTooMuch && call.Queued == null))
            {
                Finish(call, null, error);
                return;
            }
            call.Failures++;
            call.NotBefore = Now + (long)pauseMs;
            call.AttemptDeadline = call.Queued == null ? call.NotBefore + call.TimeoutMs : long.MaxValue;
        }

        private void Finish(PendingCall call, JsonObject result, GantryException error)
        {
            call.Unsend();
            if (_pending.Remove(call)) call.Settle(result, error);
        }

        /// <summary>The socket was closed: calls sent over it without a response may or may not have been executed.</summary>
        private void LoseCalls()
        {
            foreach (var call in _pending.Where(one => one.SocketId != null).ToList()) Fail(call, GantryException.ConnectionLost());
        }

        private void Settle<T>(TaskCompletionSource<T> source, T result, GantryException error)
        {
            _completions.Add(() =>
            {
                if (error == null) source.TrySetResult(result);
                else source.TrySetException(error);
            });
        }

        private long Now
        {
            get { return _clock.ElapsedMilliseconds; }
        }

        private void Notify()
        {
            _activity?.Set();
        }

        /// <summary>With a separate thread, continuations run in the thread pool, so that they cannot block the connection.</summary>
        private TaskCompletionSource<T> NewSource<T>()
        {
            return new TaskCompletionSource<T>(_thread == null ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously);
        }

        private static GantryException SessionEnded()
        {
            return new GantryException("session_ended", "The session has ended; sign in again", 401);
        }

        private static GantryException Closed()
        {
            return new GantryException("client_closed", "The client was disposed of before the response arrived");
        }

        private string SocketUrl()
        {
            var url = _options.Url.TrimEnd('/');
            if (url.StartsWith("http", StringComparison.OrdinalIgnoreCase)) url = "ws" + url.Substring(4);
            return url + "/socket.io/?EIO=4&transport=websocket";
        }

        private void SetStatus(Status status)
        {
            Status = status;
            Guard(() => StatusChanged?.Invoke(status));
        }

        private void Load(string savedState)
        {
            var saved = Json.ParseObject(savedState);
            _cursors.Load(saved.Find("cursors") as JsonObject, saved.Find("notifications") as List<object>);
            _queue.Load(saved.Find("queue") as List<object>);
            _deviceSecret = saved.Find("deviceSecret") as string;
        }

        private void Save()
        {
            foreach (var one in _loading.Where(one => one.Value.Status == TaskStatus.RanToCompletion).ToList())
            {
                _loading.Remove(one.Key);
                _isDirty = true;
            }
            if (_isDirty && Now - _savedAt >= SaveIntervalMs) SaveNow();
        }

        private void SaveNow()
        {
            _isSaveDue = _isHandling;
            if (_isHandling) return;
            _isDirty = false;
            _savedAt = Now;
            if (_options.Save == null) return;
            var cursors = _cursors.ToJson();
            foreach (var stream in _loading.Keys) cursors.Remove(stream);
            var saved = new JsonObject
            {
                { "cursors", cursors }, { "notifications", _cursors.NotificationIds() }, { "queue", _queue.ToJson() }
            };
            if (_deviceSecret != null) saved["deviceSecret"] = _deviceSecret;
            Guard(() => _options.Save(Json.Write(saved)));
        }

        /// <summary>A handler that throws must not end the connection.</summary>
        private void Guard(Action call)
        {
            try
            {
                call();
            }
            catch (Exception error)
            {
                _options.OnHandlerError?.Invoke(error);
            }
        }

        private sealed class ReadyWait
        {
            public TaskCompletionSource<bool> Source;
            public Action Cancel;

            /// <summary>Null until the client connects.</summary>
            public long? Deadline;
        }

        private sealed class PendingCall
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
            public Action<JsonObject, GantryException> Settle;

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

        private sealed class Subscription : IDisposable
        {
            private Action _end;

            public Subscription(Action end)
            {
                _end = end;
            }

            public void Dispose()
            {
                _end?.Invoke();
                _end = null;
            }
        }
    }

    /// <summary>A guest who has signed in.</summary>
    public sealed class GuestSignIn
    {
        /// <summary>The player's address.</summary>
        public string Wallet { get; }

        /// <summary>Authenticates the player. Store it securely, such as in the system's keychain.</summary>
        public string DeviceSecret { get; }

        internal GuestSignIn(string wallet, string deviceSecret)
        {
            Wallet = wallet;
            DeviceSecret = deviceSecret;
        }
    }
}
