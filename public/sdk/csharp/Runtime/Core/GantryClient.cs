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
    public sealed partial class GantryClient : GantryCalls, IConnectionListener, IDisposable
    {
        private readonly object _gate = new object();
        private readonly GantryOptions _options;
        private readonly Connection _connection;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly List<ReadyWait> _readyWaits = new List<ReadyWait>();
        private readonly List<Action> _completions = new List<Action>();
        private AutoResetEvent _activity; // with a thread of our own only: WebGL has none
        private Thread _thread;
        private volatile bool _isDisposed;

        /// <exception cref="FormatException">The saved state cannot be read.</exception>
        public GantryClient(GantryOptions options)
        {
            _options = options ?? throw new ArgumentNullException(nameof(options));
            if (string.IsNullOrEmpty(options.Url)) throw new ArgumentException("Url is missing: set it to the server's URL, such as http://127.0.0.1:3000", nameof(options));
            if (!options.Url.Contains("://")) throw new ArgumentException("The server's URL must begin with http:// or https://, unlike '" + options.Url + "'", nameof(options));
            if (!(options is ConnectOptions)) _token = options.LauncherJwt;
            _ownPresence = new OwnPresence(options.Status);
            Status = new Status(ConnectionState.Closed);
            _connection = new Connection(options.CreateSocket, SocketUrl, this, Notify);
            Load();
        }

        /// <summary>The status of the connection.</summary>
        public Status Status { get; private set; }

        internal bool IsDisposed
        {
            get { return _isDisposed; }
        }

        /// <summary>The player's token; null before signing in.</summary>
        public string LauncherJwt
        {
            get { return _token; }
        }

        public event Action<Status> StatusChanged;

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
                _session = null;
                _renewAt = long.MaxValue;
                Open(launcherJwt);
            }
            Notify();
        }

        /// <summary>Completes when the connection is live.</summary>
        /// <exception cref="GantryException">
        /// It was refused, or the session has ended; <c>connection_lost</c> after <see cref="GantryOptions.Timeout"/> of
        /// connecting: the client continues to try.
        /// </exception>
        /// <exception cref="OperationCanceledException">It was cancelled; the client continues to connect.</exception>
        public Task ReadyAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            lock (_gate)
            {
                var waiter = NewWaiter<bool>(cancellationToken);
                if (_isDisposed)
                {
                    waiter.Complete(false, Closed()); // nothing completes it later
                    return waiter.Task;
                }
                Action<Status> settle = null;
                settle = status =>
                {
                    GantryException error = null;
                    if (_isDisposed) error = Closed();
                    else if (status.State == ConnectionState.Refused) error = status.Error;
                    else if (status.State == ConnectionState.Ended) error = SessionEnded();
                    else if (status.State != ConnectionState.Live) return;
                    EndReadyWait(_readyWaits.Find(one => one.Waiter == waiter), error);
                };
                StatusChanged += settle;
                _readyWaits.Add(new ReadyWait(waiter, () => StatusChanged -= settle));
                settle(Status);
                return waiter.Task;
            }
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
                RaiseResyncs();
                _connection.Update(Now);
                UpdateSession();
                UpdatePauses();
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
                _signIns++;
                _isSigningIn = false;
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
                foreach (var waiter in _queuedTasks.Values) Settle(waiter, null, Closed());
                _queuedTasks.Clear();
                _pending.Clear();
                foreach (var pause in _pauses.ToList()) EndPause(pause, Closed());
                SetStatus(new Status(ConnectionState.Closed)); // completes ReadyAsync too
                completions = _completions.ToList();
            }
            foreach (var complete in completions) complete();
            Notify();
        }

        private void UpdateReadyWait(ReadyWait wait)
        {
            if (wait.Waiter.Token.IsCancellationRequested) EndReadyWait(wait, new OperationCanceledException());
            else if (Status.State != ConnectionState.Connecting || wait.Deadline == null) wait.Deadline = Now + (long)_options.Timeout.TotalMilliseconds;
            else if (Now > wait.Deadline)
                EndReadyWait(wait, new GantryException("connection_lost",
                    "No connection to Gantry at " + _options.Url + " after " + _options.Timeout.TotalSeconds + " s; the client continues to try"));
        }

        private void EndReadyWait(ReadyWait wait, Exception error)
        {
            _readyWaits.Remove(wait);
            wait.StopListening();
            Settle(wait.Waiter, true, error);
        }

        /// <summary>Completes a task, once the gate is left.</summary>
        private void Settle<T>(Waiter<T> waiter, T result, Exception error)
        {
            _completions.Add(() => waiter.Complete(result, error));
        }

        private long Now
        {
            get { return _clock.ElapsedMilliseconds; }
        }

        private void Notify()
        {
            _activity?.Set();
        }

        private Waiter<T> NewWaiter<T>(CancellationToken token)
        {
            return new Waiter<T>(_thread != null, token, Notify);
        }

        private string SocketUrl()
        {
            var url = _options.Url.TrimEnd('/');
            if (url.StartsWith("http", StringComparison.OrdinalIgnoreCase)) url = "ws" + url.Substring(4);
            var player = _options.RouteByPlayer && Player != null ? "&player=" + Player.Wallet : "";
            return url + "/socket.io/?EIO=4&transport=websocket" + player;
        }

        private void SetStatus(Status status)
        {
            if (status.State == ConnectionState.Connecting && Status.State == ConnectionState.Connecting) return;
            Status = status;
            Guard(() => StatusChanged?.Invoke(status));
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
            public Waiter<bool> Waiter { get; }
            public Action StopListening { get; }

            /// <summary>Null until the client connects.</summary>
            public long? Deadline { get; set; }

            public ReadyWait(Waiter<bool> waiter, Action stopListening)
            {
                Waiter = waiter;
                StopListening = stopListening;
            }
        }
    }
}
