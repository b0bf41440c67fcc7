#if UNITY_WEBGL && !UNITY_EDITOR
using System;
using System.Runtime.InteropServices;

namespace Gantry
{
    /// <summary>The browser's WebSocket, by way of <c>Plugins/WebGL/GantrySocket.jslib</c>.</summary>
    public sealed class WebGLSocket : ISocket
    {
        private int _id = -1;

        public void Open(string url, Action notify)
        {
            _id = GantrySocketOpen(url);
        }

        public void Send(string text)
        {
            if (_id >= 0) GantrySocketSend(_id, text);
        }

        public void Close()
        {
            if (_id >= 0) GantrySocketClose(_id);
            _id = -1;
        }

        public bool TryReceive(out SocketMessage message)
        {
            message = default(SocketMessage);
            if (_id < 0) return false;
            switch (GantrySocketPeek(_id))
            {
                case 1:
                    GantrySocketTake(_id);
                    message = new SocketMessage(SocketMessageKind.Opened);
                    return true;
                case 2:
                    message = new SocketMessage(SocketMessageKind.Text, GantrySocketTake(_id));
                    return true;
                case 3:
                    GantrySocketTake(_id);
                    message = new SocketMessage(SocketMessageKind.Closed);
                    return true;
                default:
                    return false;
            }
        }

        [DllImport("__Internal")]
        private static extern int GantrySocketOpen(string url);

        [DllImport("__Internal")]
        private static extern void GantrySocketSend(int id, string text);

        [DllImport("__Internal")]
        private static extern void GantrySocketClose(int id);

        /// <summary>What comes next: 0 nothing, 1 opened, 2 text, 3 closed.</summary>
        [DllImport("__Internal")]
        private static extern int GantrySocketPeek(int id);

        [DllImport("__Internal")]
        private static extern string GantrySocketTake(int id);
    }
}
#endif
