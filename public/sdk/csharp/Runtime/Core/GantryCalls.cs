using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>
    /// Every operation as a method; the methods themselves are generated. Each throws a <see cref="GantryException"/>
    /// when the call is refused or fails.
    /// </summary>
    public abstract partial class GantryCalls
    {
        /// <summary>Calls an operation by its description, with a plain input.</summary>
        /// <exception cref="GantryException">The call was refused or failed.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled; once sent, it may have been executed.</exception>
        public abstract Task<JsonObject> CallAsync(Operation operation, JsonObject input = null, CallOptions options = null, CancellationToken cancellationToken = default(CancellationToken));

        /// <summary>Calls an operation by its name.</summary>
        /// <exception cref="GantryException">The call was refused or failed.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled; once sent, it may have been executed.</exception>
        /// <exception cref="ArgumentException">The operation is unknown to this version of the SDK.</exception>
        public Task<JsonObject> CallAsync(string operation, JsonObject input = null, CallOptions options = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var found = Operations.Find(operation);
            if (found == null) throw new ArgumentException("There is no operation " + operation, nameof(operation));
            return CallAsync(found, input, options, cancellationToken);
        }

        protected async Task<T> CallAsync<T>(Operation operation, Record input, CallOptions options, CancellationToken cancellationToken, Func<object, T> read)
        {
            return read(await CallAsync(operation, input?.Json, options, cancellationToken));
        }
    }

    /// <summary>Calls with additional fields over a client's connection.</summary>
    internal sealed class ScopedCalls : GantryCalls
    {
        private readonly GantryClient _client;
        private readonly string _field;
        private readonly string _value;

        public ScopedCalls(GantryClient client, string field, string value)
        {
            _client = client;
            _field = field;
            _value = value;
        }

        public override Task<JsonObject> CallAsync(Operation operation, JsonObject input = null, CallOptions options = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var data = new JsonObject(input ?? new JsonObject());
            data[_field] = _value;
            return _client.CallAsync(operation, data, options, cancellationToken);
        }
    }
}
