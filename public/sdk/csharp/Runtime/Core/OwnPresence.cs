using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;

namespace Gantry
{
    /// <summary>What the player shows to friends, remembered for the next connection.</summary>
    internal sealed class OwnPresence
    {
        private static readonly string SetStatus = Operations.SetStatus.Name;

        /// <summary>The status of a player who has chosen none.</summary>
        private const string Unchosen = "online";

        /// <summary>What they set ends with the connection.</summary>
        private static readonly Operation[] OfConnection = { Operations.SetCurrentGame, Operations.SetRichPresence };

        /// <summary>Why a handshake is refused for its status: PROTOCOL.md, section 3.</summary>
        private static readonly string[] Refusals = { Reasons.InputInvalid, Reasons.NotALauncher, Reasons.WordsNotAllowed, Reasons.Muted };

        private readonly Dictionary<string, Setting> _settings = new Dictionary<string, Setting>();

        public OwnPresence(SetStatusInput status)
        {
            if (status != null) _settings[SetStatus] = new Setting { Input = status.Json };
        }

        /// <summary>For the handshake, so that an invisible player is not seen between connecting and <c>setStatus</c>; or null.</summary>
        public JsonObject Status
        {
            get { return Find(SetStatus)?.AgedInput(); }
        }

        public static bool Has(Operation operation)
        {
            return operation == Operations.SetStatus || OfConnection.Contains(operation);
        }

        /// <summary>Remembers the input of a call until it is settled, as the returned function is told, and then unless the server has refused it.</summary>
        public Action<Exception> Remember(string operation, JsonObject input)
        {
            var before = Find(operation);
            var setting = _settings[operation] = new Setting { Input = input, IsPending = true, SinceChosen = Stopwatch.StartNew() };
            return error =>
            {
                setting.IsPending = false;
                var isRefused = error is GantryException && ((GantryException)error).Code > 0;
                if (!isRefused) setting.IsUnanswered = error != null;
                else if (Find(operation) == setting) Restore(operation, before);
            };
        }

        /// <summary>Sends over a new connection what has ended with the last one, and a status that was not answered.</summary>
        /// <param name="send">The last argument is to be called when it was answered with success.</param>
        public void Repeat(Action<Operation, JsonObject, Action> send)
        {
            var initial = Find(SetStatus);
            if (initial != null && initial.SinceChosen == null) initial.SinceChosen = Stopwatch.StartNew();
            foreach (var operation in new[] { Operations.SetStatus }.Concat(OfConnection))
            {
                var setting = Find(operation.Name);
                if (setting == null || (operation == Operations.SetStatus && !setting.IsUnanswered)) continue;
                var input = operation == Operations.SetStatus ? setting.AgedInput() : setting.Input;
                send(operation, input, () => setting.IsUnanswered = false);
            }
        }

        /// <summary>
        /// The player's status according to the server, or null: one that was chosen on another device replaces the remembered
        /// one, which a server that has forgotten both would take for the latest.
        /// </summary>
        public void Learn(JsonObject own)
        {
            var known = Find(SetStatus);
            if (own == null || (known != null && (known.IsPending || known.IsUnanswered))) return;
            var status = known == null ? Unchosen : known.Input.Find("status") as string;
            var text = known == null ? "" : known.Input.Find("text") as string ?? "";
            if (own.Find("status") as string == status && own.Find("text") as string == text) return;
            _settings[SetStatus] = new Setting { Input = own, SinceChosen = Stopwatch.StartNew() };
        }

        /// <summary>When a handshake was refused for its status: gives up its text, then the status. False: that was not why.</summary>
        public bool Reduce(string reason)
        {
            if (Status == null || !Refusals.Contains(reason)) return false;
            var hasText = !string.IsNullOrEmpty(Status.Find("text") as string);
            var rest = new JsonObject { { "status", Status.Find("status") } };
            Restore(SetStatus, hasText ? new Setting { Input = rest, IsUnanswered = Find(SetStatus).IsUnanswered } : null);
            return true;
        }

        private Setting Find(string operation)
        {
            return _settings.TryGetValue(operation, out var setting) ? setting : null;
        }

        private void Restore(string operation, Setting setting)
        {
            if (setting == null) _settings.Remove(operation);
            else _settings[operation] = setting;
        }

        private sealed class Setting
        {
            public JsonObject Input;

            /// <summary>Whether the server has it is not known. In a handshake, a status does not count for a player connected elsewhere.</summary>
            public bool IsUnanswered;

            /// <summary>It is being sent.</summary>
            public bool IsPending;

            /// <summary>Of the client's options: since a connection with it began, null before that.</summary>
            public Stopwatch SinceChosen;

            /// <summary>With its age, so that it does not replace what the player has chosen later on another device.</summary>
            public JsonObject AgedInput()
            {
                if (SinceChosen == null) return Input;
                return new JsonObject(Input) { { "ageMs", SinceChosen.ElapsedMilliseconds } };
            }
        }
    }
}
