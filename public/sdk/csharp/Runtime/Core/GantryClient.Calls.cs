using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        private OfflineQueue _queue = new OfflineQueue();
        private readonly List<PendingCall> _pending = new List<PendingCall>();
        private readonly Dictionary<QueuedCall, Waiter<JsonObject>> _queuedTasks = new Dictionary<QueuedCall, Waiter<JsonObject>>();
        private bool _isQueueHeld;

        /// <summary>The queued writes that have no response yet, in order.</summary>
        public IReadOnlyList<QueuedCall> Queue
        {
            get
            {
                lock (_gate) return _queue.Calls;
            }
        }

        /// <summary>A queued call has completed, including one queued before a restart of the game, for which there is no task.</summary>
        public event Action<QueuedAnswer> QueuedCallEnded;

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

        public override Task<JsonObject> CallAsync(Operation operation, JsonObject input = null, CallOptions options = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var answer = Send(operation, input, options ?? new CallOptions(), cancellationToken);
            var isAboutPlayer = operation.Name == "setUsername" && Player != null && (input == null || (!input.ContainsKey("launcherJwt") && !input.ContainsKey("wallet")));
            return isAboutPlayer ? ThenReadPlayer(answer) : answer;
        }

        private Task<JsonObject> Send(Operation operation, JsonObject input, CallOptions options, CancellationToken cancellationToken)
        {
            if (options.IsQueued && operation.Repeat != Repeat.WithKey)
                throw new ArgumentException(operation.Name + " cannot be queued: it is no write that takes an idempotency key");
            if (cancellationToken.IsCancellationRequested) return Task.FromCanceled<JsonObject>(cancellationToken);
            var data = new JsonObject(input ?? new JsonObject());
            if (options.IdempotencyKey != null) data["idempotencyKey"] = options.IdempotencyKey;
            Waiter<JsonObject> waiter;
            lock (_gate)
            {
                waiter = NewWaiter<JsonObject>(cancellationToken);
                if (_isDisposed) waiter.Complete(null, Closed());
                else if (options.IsQueued) Enqueue(operation, data, waiter);
                else
                {
                    _pending.Add(new PendingCall
                    {
                        Operation = operation,
                        Data = data,
                        Over = operation.IsAboutConnection ? Transport.Socket : options.IsOfSession ? Transport.Http : options.Over ?? _options.CallOver,
                        TimeoutMs = (long)(options.Timeout ?? _options.Timeout).TotalMilliseconds,
                        AttemptDeadline = Now + (long)(options.Timeout ?? _options.Timeout).TotalMilliseconds,
                        IsRepeatable = operation.Repeat == Repeat.Always || data.ContainsKey("idempotencyKey"),
                        Cancellation = cancellationToken,
                        IsOfSession = options.IsOfSession,
                        Game = options.Game,
                        Settle = Remembering(operation, data, (result, error) => Settle(waiter, result, error))
                    });
                }
            }
            Notify();
            return waiter.Task;
        }

        /// <summary>What the player shows to friends is remembered while it is set, and then unless the server has refused it.</summary>
        private Action<JsonObject, Exception> Remembering(Operation operation, JsonObject data, Action<JsonObject, Exception> settle)
        {
            if (!OwnPresence.Has(operation) || data.ContainsKey("launcherJwt")) return settle;
            var settled = _ownPresence.Remember(operation.Name, data);
            return (result, error) =>
            {
                settled(error);
                settle(result, error);
            };
        }

        private void Enqueue(Operation operation, JsonObject data, Waiter<JsonObject> waiter)
        {
            if (_queue.Count >= _options.MaxQueued)
            {
                waiter.Complete(null, new GantryException("queue_full", "The offline queue is full (" + _options.MaxQueued + " calls)"));
                return;
            }
            var key = data.Find("idempotencyKey") as string ?? Guid.NewGuid().ToString();
            data.Remove("idempotencyKey");
            try
            {
                data = Json.ParseObject(Json.Write(data)); // the game may change its objects before they are sent
            }
            catch (ArgumentException error)
            {
                waiter.Complete(null, WithoutJson(error)); // it could be neither sent nor saved
                return;
            }
            var call = new QueuedCall(operation, data, key, OfflineQueue.UnixMs());
            _queue.Add(call);
            if (Ending == null) _queuedTasks[call] = waiter;
            else waiter.Complete(null, Ending); // kept for the next client of the player
            SaveNow();
        }

        private void UpdateQueue()
        {
            foreach (var one in _queuedTasks.Where(one => one.Value.Token.IsCancellationRequested).ToList()) CancelQueued(one.Key, one.Value);
            var call = _queue.First;
            if (call == null || _isQueueHeld || Now < _receiveAt || (_token == null && _options.GameSecret == null)) return;
            if (_pending.Any(one => one.Queued != null)) return;
            if (call.IsExpired)
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
                Settle = (result, error) => EndQueued(call, result, (GantryException)error)
            });
        }

        /// <summary>A call that may have reached the server stays in the queue, so that it is executed once; nothing awaits it any longer.</summary>
        private void CancelQueued(QueuedCall call, Waiter<JsonObject> waiter)
        {
            _queuedTasks.Remove(call);
            if (!call.IsSent)
            {
                _pending.RemoveAll(one => one.Queued == call);
                _queue.Remove(call);
                SaveNow();
            }
            Settle(waiter, null, new OperationCanceledException());
        }

        private void EndQueued(QueuedCall call, JsonObject result, GantryException error)
        {
            _queue.Remove(call);
            SaveNow();
            if (_queuedTasks.TryGetValue(call, out var waiter))
            {
                _queuedTasks.Remove(call);
                Settle(waiter, result, error);
            }
            _completions.Add(() => Guard(() => QueuedCallEnded?.Invoke(new QueuedAnswer(call, result, error))));
        }

        private void UpdateCall(PendingCall call)
        {
            var now = Now;
            if (call.Cancellation.IsCancellationRequested) Finish(call, null, new OperationCanceledException());
            else if (call.IsWaitingForSignIn) return;
            else if (call.Http != null && call.Http.IsDone) TakeHttpAnswer(call);
            else if (now > call.AttemptDeadline) Fail(call, GantryException.ConnectionLost(_options.Url));
            else if (!call.IsSent && now >= call.NotBefore) Send(call);
        }

        private void Send(PendingCall call)
        {
            var isOverHttp = call.Over == Transport.Http || (Status.State == ConnectionState.Closed && !call.Operation.IsAboutConnection);
            if (!isOverHttp && Ending != null) Fail(call, Ending);
            else if (isOverHttp || _connection.IsAccepted)
            {
                call.AttemptDeadline = Now + call.TimeoutMs;
                call.SentWith = _token;
                if (call.Queued != null) MarkSent(call);
                try
                {
                    if (isOverHttp) SendOverHttp(call);
                    else call.SocketId = _connection.Call(call.Operation.Name, call.Data);
                }
                catch (ArgumentException error)
                {
                    Fail(call, WithoutJson(error));
                }
                catch (GantryException error)
                {
                    Fail(call, error);
                }
            }
        }

        /// <summary>Recorded before it is sent, because after a crash it may have been executed.</summary>
        private void MarkSent(PendingCall call)
        {
            call.WasSent = call.Queued.IsSent;
            if (call.WasSent) return;
            call.Queued.MarkSent(true);
            SaveNow();
        }

        /// <summary>The server has refused the latest attempt.</summary>
        private void MarkNotExecuted(PendingCall call)
        {
            if (call.WasSent) return;
            call.Queued.MarkSent(false);
            SaveNow();
        }

        private void SendOverHttp(PendingCall call)
        {
            var headers = new Dictionary<string, string> { { "Content-Type", "application/json" }, { "X-Service-Method", call.Operation.Name }, { "X-Gantry-Version", Sdk.Version } };
            if (_options.GameSecret != null) headers["Authorization"] = "Bearer " + _options.GameSecret;
            if (_options.GameVersion != null) headers["X-Game-Version"] = _options.GameVersion;
            // With a secret, the wallet is the player called for.
            var player = (_options.GameSecret != null ? call.Data.Find("wallet") as string : null) ?? Player?.Wallet;
            if (_options.RouteByPlayer && player != null) headers["X-Gantry-Player"] = player;
            var data = new JsonObject(call.Data);
            if (_token != null && !call.IsOfSession && !data.ContainsKey("launcherJwt")) data["launcherJwt"] = _token;
            call.Http = _options.Http.Post(_options.Url.TrimEnd('/') + "/launcher" + (call.Game == null ? "" : "?gameId=" + Uri.EscapeDataString(call.Game)), headers, Json.Write(data), Notify);
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
            else if (http.Status == 0 || body == null) Fail(call, GantryException.ConnectionLost(_options.Url));
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
            var isOwn = !call.IsOfSession && !call.Data.ContainsKey("launcherJwt");
            if (isOwn && error.Update != null && Ending == null) Refuse(error);
            if (call.Queued != null && isOwn && (error.IsSignedOut || Ending != null))
            {
                _pending.Remove(call); // it stays first in the queue
                _isQueueHeld = true;
                if (error.Reason == Reasons.TokenExpired) SignInAgainFor(call, error);
                return;
            }
            if (isOwn && error.Reason == Reasons.TokenExpired && !call.IsSentAgain && SignInAgainFor(call, error))
            {
                call.IsSentAgain = true;
                return;
            }
            var isSafe = error.IsPassing || (error.Reason == "connection_lost" && call.IsRepeatable);
            var pauseMs = error.RetryAfter?.TotalMilliseconds ?? Math.Min(250 << Math.Min(call.Failures, 5), 5000);
            var isTooMuch = call.IsOfSession || call.Failures >= _options.Retries || pauseMs > _options.MaxRetryDelay.TotalMilliseconds;
            if (!isSafe || (isTooMuch && call.Queued == null))
            {
                Finish(call, null, error);
                return;
            }
            if (call.Queued != null && error.IsPassing) MarkNotExecuted(call);
            call.Failures++;
            call.NotBefore = Now + (long)pauseMs;
            call.AttemptDeadline = call.Queued == null ? call.NotBefore + call.TimeoutMs : long.MaxValue;
        }

        /// <summary>False if that is not possible.</summary>
        private bool SignInAgainFor(PendingCall call, GantryException refusal)
        {
            if (!CanSignInAgain || Ending != null) return false;
            if (call.SentWith == _token)
            {
                call.IsWaitingForSignIn = true;
                SignInAgain(error => Refuse(error ?? refusal));
            }
            else
            {
                call.AttemptDeadline = Now + call.TimeoutMs; // signed in since
                _isQueueHeld = false;
            }
            return true;
        }

        /// <summary>Why calls of a client that has ended fail; null while it has not.</summary>
        private GantryException Ending
        {
            get { return Status.State == ConnectionState.Refused ? Status.Error : Status.State == ConnectionState.Ended ? SessionEnded() : null; }
        }

        /// <summary>The client has ended: queued calls are kept for the next client of the player.</summary>
        private void RejectCalls(GantryException error)
        {
            _isQueueHeld = true;
            foreach (var waiter in _queuedTasks.Values) Settle(waiter, null, error);
            _queuedTasks.Clear();
            foreach (var call in _pending.Where(one => one.IsWaitingForSignIn).ToList()) Finish(call, null, error);
        }

        private void Finish(PendingCall call, JsonObject result, Exception error)
        {
            call.Unsend();
            if (_pending.Remove(call)) call.Settle(result, error);
        }

        /// <summary>The socket was closed: calls sent over it without a response may or may not have been executed.</summary>
        private void LoseCalls()
        {
            foreach (var call in _pending.Where(one => one.SocketId != null).ToList()) Fail(call, GantryException.ConnectionLost(_options.Url));
        }

        private static GantryException SessionEnded()
        {
            return new GantryException(Reasons.SessionEnded, "The session has ended; sign in again", 401);
        }

        private static GantryException WithoutJson(ArgumentException error)
        {
            return new GantryException("input_invalid", error.Message, 400);
        }

        private static GantryException Closed()
        {
            return new GantryException("client_closed", "The client was disposed of before the response arrived");
        }
    }
}
