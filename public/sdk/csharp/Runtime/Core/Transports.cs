using System;
using System.Collections.Generic;

namespace Gantry
{
    public enum SocketMessageKind
    {
        Opened,
        Text,

        /// <summary>Closed, or could not be opened. Nothing comes after it.</summary>
        Closed
    }

    public struct SocketMessage
    {
        public SocketMessageKind Kind { get; }

        /// <summary>Of <see cref="SocketMessageKind.Text"/>: the frame.</summary>
        public string Text { get; }

        public SocketMessage(SocketMessageKind kind, string text = null)
        {
            Kind = kind;
            Text = text;
        }
    }

    /// <summary>
    /// One WebSocket connection (RFC 6455), text frames only. The client polls it, so that it needs no threads; it is
    /// opened once and thrown away when it is closed.
    /// </summary>
    public interface ISocket
    {
        /// <param name="url">Begins with <c>ws:</c> or <c>wss:</c>.</param>
        /// <param name="notify">May be called, from any thread, when there is something to receive; it saves waiting.</param>
        void Open(string url, Action notify);

        /// <summary>Sends a frame, in order. Ignored once closed.</summary>
        void Send(string text);

        void Close();

        /// <summary>The next thing that has happened; false when nothing has.</summary>
        bool TryReceive(out SocketMessage message);
    }

    /// <summary>Sends requests over HTTP. The client polls what it returns, so that it needs no threads.</summary>
    public interface IHttp
    {
        /// <param name="notify">May be called, from any thread, when the answer is there; it saves waiting.</param>
        IHttpCall Post(string url, IReadOnlyDictionary<string, string> headers, string body, Action notify);
    }

    /// <summary>A request under way.</summary>
    public interface IHttpCall
    {
        bool IsDone { get; }

        /// <summary>Of a request that is done: the status, or 0 when there was no answer.</summary>
        int Status { get; }

        /// <summary>Of a request that is done: the answer's body.</summary>
        string Body { get; }

        /// <summary>Of a request that is done: a header of the answer, or null.</summary>
        string Header(string name);

        void Abort();
    }
}
