using System.Collections.Generic;
using System.Linq;

namespace Gantry
{
    /// <summary>What the player shows to friends, remembered for the next connection.</summary>
    internal sealed class OwnPresence
    {
        private static readonly string SetStatus = Operations.SetStatus.Name;

        /// <summary>What they set ends with the connection.</summary>
        private static readonly Operation[] OfConnection = { Operations.SetCurrentGame, Operations.SetRichPresence };

        /// <summary>Why a handshake is refused for its status: PROTOCOL.md, section 3.</summary>
        private static readonly string[] Refusals = { Reasons.InputInvalid, Reasons.NotALauncher, Reasons.WordsNotAllowed, Reasons.Muted };

        private readonly Dictionary<string, JsonObject> _inputs = new Dictionary<string, JsonObject>();

        public OwnPresence(SetStatusInput status)
        {
            if (status != null) _inputs[SetStatus] = status.Json;
        }

        /// <summary>For the handshake, so that an invisible player is not seen between connecting and <c>setStatus</c>; or null.</summary>
        public JsonObject Status
        {
            get { return Find(SetStatus); }
        }

        /// <summary>What a new connection has to send again.</summary>
        public IEnumerable<KeyValuePair<Operation, JsonObject>> ToRepeat
        {
            get { return OfConnection.Where(one => _inputs.ContainsKey(one.Name)).Select(one => new KeyValuePair<Operation, JsonObject>(one, _inputs[one.Name])); }
        }

        public static bool Has(Operation operation)
        {
            return operation == Operations.SetStatus || OfConnection.Contains(operation);
        }

        public JsonObject Find(string operation)
        {
            return _inputs.TryGetValue(operation, out var input) ? input : null;
        }

        /// <param name="input">Null: forget it.</param>
        public void Set(string operation, JsonObject input)
        {
            if (input == null) _inputs.Remove(operation);
            else _inputs[operation] = input;
        }

        /// <summary>When a handshake was refused for its status: gives up its text, then the status. False: that was not why.</summary>
        public bool Reduce(string reason)
        {
            if (Status == null || !Refusals.Contains(reason)) return false;
            var hasText = !string.IsNullOrEmpty(Status.Find("text") as string);
            Set(SetStatus, hasText ? new JsonObject { { "status", Status.Find("status") } } : null);
            return true;
        }
    }
}
