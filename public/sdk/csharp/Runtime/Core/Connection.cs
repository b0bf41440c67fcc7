using System;
using System.Collections.Generic;
using System.Text;

namespace Gantry
{
    /// <summary>The callbacks of a connection.</summary>
    internal interface IConnectionListener
    {
        /// <summary>Returns the handshake's data, at every attempt.</summary>
        JsonObject Handshake();

        /// <summary>While it is false, nothing is taken from the socket.</summary>
        bool IsReceiving { get; }

        /// <summary>The server has accepted; calls can be sent.</summary>
        void OnAccepted();

        void OnEvent(string name, JsonObject record, JsonObject meta);

        /// <param name="error">Null when the call succeeded.</param>
        void OnAnswer(long id, JsonObject error, JsonObject result);

        /// <summary>The connection was lost; it reconnects automatically.</summary>
        void OnLost();

        /// <summary>The server has ended the session; the connection does not reconnect.</summary>
        void OnEnded();

        /// <summary>The server has refused the handshake.</summary>
        /// <returns>When to reconnect; null: never.</returns>
        TimeSpan? OnRefused(GantryException error);
    }

    /// <summary>
    /// The subset of Socket.IO 5 over Engine.IO 4 over WebSockets that PROTOCOL.md requires: opens, responds to pings,
    /// detects timeouts, reconnects with increasing delays.
    /// </summary>
    internal sealed class Connection
    {
        private const long FirstPauseMs = 250;
        private const long MaxPauseMs = 5000;

        /// <summary>The timeout for opening a WebSocket, its first frame and the handshake.</summary>
        private const long OpeningMs = 20000;

        private readonly Func<ISocket> _createSocket;
        private readonly Func<string> _url;
        private readonly IConnectionListener _listener;
        private readonly Action _notify;
        private readonly Random _random = new Random();
        private ISocket _socket;
        private bool _isWanted;
        private int _failures;
        private long _openAt;
        private long _silentUntil;
        private long _patienceMs = OpeningMs;
        private long _nextId;
        private long _maxPayload;

        public Connection(Func<ISocket> createSocket, Func<string> url, IConnectionListener listener, Action notify)
        {
            _createSocket = createSocket;
            _url = url;
            _listener = listener;
            _notify = notify;
        }

        /// <summary>The server has accepted the handshake.</summary>
        public bool IsAccepted { get; private set; }

        /// <summary>Connects now, dropping the current connection.</summary>
        public void Open(long now)
        {
            Drop();
            _isWanted = true;
            _failures = 0;
            _openAt = now;
        }

        public void Close()
        {
            _isWanted = false;
            Drop();
        }

        /// <summary>Resets the reconnect delay to the shortest.</summary>
        public void Succeeded()
        {
            _failures = 0;
        }

        /// <summary>Drops the connection and its remaining messages, and reconnects immediately.</summary>
        public void Reopen(long now)
        {
            Drop();
            _openAt = now;
        }

        /// <summary>Sends a call. Returns the number of its response.</summary>
        /// <exception cref="GantryException"><c>body_too_large</c>: the server would close the connection.</exception>
        /// <exception cref="ArgumentException">The input cannot be represented in JSON.</exception>
        public long Call(string operation, JsonObject data)
        {
            var id = _nextId++;
            var packet = new List<object> { operation, "launcher", data, new JsonObject() };
            var frame = "42" + id + Json.Write(packet);
            var bytes = Encoding.UTF8.GetByteCount(frame);
            if (bytes > _maxPayload)
                throw new GantryException("body_too_large", "The call takes " + bytes + " bytes, and the server takes " + _maxPayload, 413);
            _socket.Send(frame);
            return id;
        }

        public void Update(long now)
        {
            if (_isWanted && _socket == null && now >= _openAt)
            {
                _patienceMs = OpeningMs;
                _silentUntil = now + OpeningMs;
                _socket = _createSocket();
                _socket.Open(_url(), _notify);
            }
            var socket = _socket;
            while (socket != null && socket == _socket && _listener.IsReceiving && socket.TryReceive(out var message))
            {
                _silentUntil = now + _patienceMs;
                if (message.Kind == SocketMessageKind.Closed) Lose(now);
                else if (message.Kind == SocketMessageKind.Text) Receive(message.Text, now);
            }
            if (!_listener.IsReceiving) _silentUntil = now + _patienceMs;
            if (_socket != null && now > _silentUntil) Lose(now);
        }

        private void Receive(string frame, long now)
        {
            try
            {
                if (frame.Length == 0) return;
                if (frame[0] == '0') Greet(Json.ParseObject(frame.Substring(1)));
                else if (frame[0] == '2') _socket.Send("3");
                else if (frame.Length > 1 && frame[0] == '4') ReceivePacket(frame, now);
            }
            catch (Exception error) when (error is FormatException || error is InvalidCastException || error is ArgumentException)
            {
                Lose(now); // not valid in this protocol: a proxy has cut or changed it
            }
        }

        private void Greet(JsonObject open)
        {
            _patienceMs = Read.Integer(open.Find("pingInterval")) + Read.Integer(open.Find("pingTimeout"));
            _maxPayload = Read.OptionalInteger(open.Find("maxPayload")) ?? long.MaxValue;
            _socket.Send("40" + Json.Write(_listener.Handshake()));
        }

        private void ReceivePacket(string frame, long now)
        {
            var from = 2;
            while (from < frame.Length && frame[from] >= '0' && frame[from] <= '9') from++;
            var body = frame.Substring(from);
            switch (frame[1])
            {
                case '0':
                    IsAccepted = true;
                    _listener.OnAccepted();
                    return;
                case '1':
                    Close();
                    _listener.OnEnded();
                    return;
                case '2':
                    var received = (List<object>)Json.Parse(body);
                    _listener.OnEvent((string)received[0], At(received, 1) ?? new JsonObject(), At(received, 2) ?? new JsonObject());
                    return;
                case '3':
                    var answer = (List<object>)Json.Parse(body);
                    _listener.OnAnswer(long.Parse(frame.Substring(2, from - 2)), At(answer, 0), At(answer, 1) ?? new JsonObject());
                    return;
                case '4':
                    Refuse(Json.ParseObject(body), now);
                    return;
            }
        }

        private void Refuse(JsonObject body, long now)
        {
            Drop();
            var error = new GantryException(body.Find("data") as JsonObject ?? body);
            var again = _listener.OnRefused(error);
            if (!_isWanted || _socket != null) return; // a callback has already closed or reopened it
            if (again == null) _isWanted = false;
            else _openAt = now + (long)again.Value.TotalMilliseconds;
        }

        private void Lose(long now)
        {
            Drop();
            var pause = Math.Min(FirstPauseMs * (1L << Math.Min(_failures, 10)), MaxPauseMs);
            _failures++;
            _openAt = now + (long)(pause * (0.5 + _random.NextDouble()));
            _listener.OnLost();
        }

        private void Drop()
        {
            IsAccepted = false;
            _socket?.Close();
            _socket = null;
        }

        private static JsonObject At(List<object> items, int at)
        {
            return at < items.Count ? items[at] as JsonObject : null;
        }
    }
}
