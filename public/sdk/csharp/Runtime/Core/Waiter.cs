using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>A task that the game awaits, and may cancel: the client looks at that when it is updated.</summary>
    internal sealed class Waiter<T>
    {
        private readonly TaskCompletionSource<T> _source;
        private readonly CancellationTokenRegistration _registration;

        /// <param name="isOnThread">Continuations then run in the thread pool, so that they cannot block the client's thread.</param>
        /// <param name="notify">Called when the task is cancelled.</param>
        public Waiter(bool isOnThread, CancellationToken token, Action notify)
        {
            _source = new TaskCompletionSource<T>(isOnThread ? TaskCreationOptions.RunContinuationsAsynchronously : TaskCreationOptions.None);
            Token = token;
            _registration = token.Register(notify);
        }

        public CancellationToken Token { get; }

        public Task<T> Task
        {
            get { return _source.Task; }
        }

        /// <param name="error">Null if it succeeded.</param>
        public void Complete(T result, Exception error)
        {
            _registration.Dispose();
            if (error == null) _source.TrySetResult(result);
            else if (error is OperationCanceledException) _source.TrySetCanceled(Token);
            else _source.TrySetException(error);
        }
    }
}
