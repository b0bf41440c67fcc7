using System;

namespace Gantry
{
    /// <summary>What is disposed of to stop listening.</summary>
    internal sealed class Subscription : IDisposable
    {
        private Action _end;

        public Subscription(Action end)
        {
            _end = end;
        }

        public void Dispose()
        {
            _end?.Invoke();
            _end = null;
        }
    }
}
