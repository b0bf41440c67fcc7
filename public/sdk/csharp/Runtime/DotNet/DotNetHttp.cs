#if !UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>HTTP of .NET and Mono.</summary>
    public sealed class DotNetHttp : IHttp
    {
        private static readonly HttpClient Client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };

        public IHttpCall Post(string url, IReadOnlyDictionary<string, string> headers, string body, Action notify)
        {
            var call = new Call();
            Task.Run(() => call.Run(url, headers, body, notify));
            return call;
        }

        private sealed class Call : IHttpCall
        {
            private readonly CancellationTokenSource _end = new CancellationTokenSource();
            private HttpResponseMessage _response;
            private volatile bool _isDone;

            public bool IsDone
            {
                get { return _isDone; }
            }

            public int Status { get; private set; }
            public string Body { get; private set; }

            public string Header(string name)
            {
                return _response != null && _response.Headers.TryGetValues(name, out var values) ? values.FirstOrDefault() : null;
            }

            public void Abort()
            {
                _end.Cancel();
            }

            public async Task Run(string url, IReadOnlyDictionary<string, string> headers, string body, Action notify)
            {
                try
                {
                    using (var request = new HttpRequestMessage(HttpMethod.Post, url))
                    {
                        request.Content = new StringContent(body, Encoding.UTF8, "application/json");
                        foreach (var header in headers)
                            if (header.Key != "Content-Type") request.Headers.TryAddWithoutValidation(header.Key, header.Value);
                        _response = await Client.SendAsync(request, _end.Token).ConfigureAwait(false);
                        Body = Encoding.UTF8.GetString(await _response.Content.ReadAsByteArrayAsync().ConfigureAwait(false));
                        Status = (int)_response.StatusCode;
                    }
                }
                catch (Exception)
                {
                    Status = 0; // no answer, whatever the reason
                }
                _isDone = true;
                notify();
            }
        }
    }
}
#endif
