#if !UNITY_WEBGL || UNITY_EDITOR
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>A WebSocket of .NET, Mono and every Unity platform but WebGL.</summary>
    public sealed class DotNetSocket : ISocket
    {
        private readonly ClientWebSocket _socket = new ClientWebSocket();
        private readonly CancellationTokenSource _end = new CancellationTokenSource();
        private readonly ConcurrentQueue<SocketMessage> _received = new ConcurrentQueue<SocketMessage>();
        private readonly Queue<string> _toSend = new Queue<string>();
        private Action _notify;
        private bool _isSending;
        private bool _isConnecting = true;
        private bool _isClosed;

        public void Open(string url, Action notify)
        {
            _notify = notify;
            _socket.Options.KeepAliveInterval = TimeSpan.Zero; // the protocol has pings of its own
            Task.Run(() => Run(new Uri(url)));
        }

        public void Send(string text)
        {
            lock (_toSend)
            {
                _toSend.Enqueue(text);
                if (_isSending) return;
                _isSending = true;
            }
            Task.Run(SendAll);
        }

        public void Close()
        {
            lock (_toSend)
            {
                _isClosed = true;
                if (_isConnecting) return; // interrupted in between, Mono would leave the TCP connection open
            }
            _end.Cancel();
            _socket.Dispose();
        }

        public bool TryReceive(out SocketMessage message)
        {
            return _received.TryDequeue(out message);
        }

        private async Task Run(Uri url)
        {
            try
            {
                await _socket.ConnectAsync(url, CancellationToken.None).ConfigureAwait(false);
                lock (_toSend) _isConnecting = false;
                if (_isClosed) _socket.Dispose();
                Add(new SocketMessage(SocketMessageKind.Opened));
                await Receive().ConfigureAwait(false);
            }
            catch (Exception)
            {
                // Whatever it was, the connection is gone; the client makes another.
            }
            Add(new SocketMessage(SocketMessageKind.Closed));
        }

        private async Task Receive()
        {
            var buffer = new ArraySegment<byte>(new byte[16384]);
            using (var frame = new MemoryStream())
            {
                while (true)
                {
                    var part = await _socket.ReceiveAsync(buffer, _end.Token).ConfigureAwait(false);
                    if (part.MessageType == WebSocketMessageType.Close) return;
                    frame.Write(buffer.Array, 0, part.Count);
                    if (!part.EndOfMessage) continue;
                    Add(new SocketMessage(SocketMessageKind.Text, Encoding.UTF8.GetString(frame.GetBuffer(), 0, (int)frame.Length)));
                    frame.SetLength(0);
                }
            }
        }

        /// <summary>One frame after the other: a ClientWebSocket sends only one at a time.</summary>
        private async Task SendAll()
        {
            while (true)
            {
                string text;
                lock (_toSend)
                {
                    if (_toSend.Count == 0)
                    {
                        _isSending = false;
                        return;
                    }
                    text = _toSend.Dequeue();
                }
                try
                {
                    var bytes = new ArraySegment<byte>(Encoding.UTF8.GetBytes(text));
                    await _socket.SendAsync(bytes, WebSocketMessageType.Text, true, _end.Token).ConfigureAwait(false);
                }
                catch (Exception)
                {
                    // Receiving tells of the end.
                }
            }
        }

        private void Add(SocketMessage message)
        {
            _received.Enqueue(message);
            _notify?.Invoke();
        }
    }
}
#endif
