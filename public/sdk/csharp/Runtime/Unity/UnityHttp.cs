#if UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using System.Text;
using UnityEngine.Networking;

namespace Gantry
{
    /// <summary>HTTP of every Unity platform, WebGL included. Used from the main thread.</summary>
    public sealed class UnityHttp : IHttp
    {
        public IHttpCall Post(string url, IReadOnlyDictionary<string, string> headers, string body, Action notify)
        {
            var request = new UnityWebRequest(url, UnityWebRequest.kHttpVerbPOST)
            {
                uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body)),
                downloadHandler = new DownloadHandlerBuffer()
            };
            foreach (var header in headers) request.SetRequestHeader(header.Key, header.Value);
            request.SendWebRequest();
            return new Call(request);
        }

        private sealed class Call : IHttpCall
        {
            private readonly UnityWebRequest _request;
            private bool _isAborted;

            public Call(UnityWebRequest request)
            {
                _request = request;
            }

            public bool IsDone
            {
                get { return _request.isDone; }
            }

            public int Status
            {
                // Of a connection that failed it is 0 or, on some platforms, whatever it was before.
                get { return _request.result == UnityWebRequest.Result.ConnectionError ? 0 : (int)_request.responseCode; }
            }

            public string Body
            {
                get { return _request.downloadHandler.text; }
            }

            public string Header(string name)
            {
                return _request.GetResponseHeader(name);
            }

            public void Abort()
            {
                if (_isAborted) return;
                _isAborted = true;
                if (!_request.isDone) _request.Abort();
                _request.Dispose();
            }
        }
    }
}
#endif
