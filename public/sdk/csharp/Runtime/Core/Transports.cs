using System;
using System.Collections.Generic;

namespace Gantry
{
    public enum SocketMessageKind
    {
        Opened,
        Text,

        /// <summary>Closed, or could not be opened. The last message.</summary>
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
    /// opened once and discarded when it is closed.
    /// </summary>
    public interface ISocket
    {
        /// <param name="url">Begins with <c>ws:</c> or <c>wss:</c>.</param>
        /// <param name="notify">May be called, from any thread, when there is something to receive; saves polling.</param>
        void Open(string url, Action notify);

        /// <summary>Sends a frame, in order. Ignored once closed.</summary>
        void Send(string text);

        void Close();

        /// <summary>The next message; false if there is none.</summary>
        bool TryReceive(out SocketMessage message);
    }

    /// <summary>Sends requests over HTTP. The client polls the returned object, so that it needs no threads.</summary>
    public interface IHttp
    {
        /// <param name="notify">May be called, from any thread, when there is a response; saves polling.</param>
        IHttpCall Post(string url, IReadOnlyDictionary<string, string> headers, string body, Action notify);
    }

    /// <summary>A pending request.</summary>
    public interface IHttpCall
    {
        bool IsDone { get; }

        /// <summary>The status once the request is done; 0 without a response.</summary>
        int Status { get; }

        /// <summary>The body of the response once the request is done.</summary>
        string Body { get; }

        /// <summary>A header of the response once the request is done, or null.</summary>
        string Header(string name);

        void Abort();
    }
}
