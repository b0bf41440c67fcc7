using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        /// <summary>The minimum interval between two saves, except for queued calls, which are saved immediately.</summary>
        private const long SaveIntervalMs = 100;

        /// <summary>What was saved last; members that this client does not know are kept.</summary>
        private JsonObject _saved = new JsonObject();

        /// <summary>Whether the player's cursors and queue are kept apart from those of the saved state's own player.</summary>
        private bool _isKeptApart;

        private bool _isDirty;
        private bool _isHandling;
        private bool _isSaveDue;
        private long _savedAt = -SaveIntervalMs;

        /// <summary>The position in every stream. <see cref="GantryOptions.Save"/> stores them automatically.</summary>
        public IReadOnlyDictionary<string, Cursor> Cursors
        {
            get
            {
                lock (_gate)
                {
                    return _cursors.Streams.ToDictionary(stream => stream, stream => _cursors.TryGet(stream, out var cursor) ? cursor : default(Cursor));
                }
            }
        }

        private void Load()
        {
            var file = _options.StateFile;
            var text = file == null ? _options.SavedState : File.Exists(file) ? File.ReadAllText(file) : null;
            if (text == null) return;
            try
            {
                _saved = Json.ParseObject(text);
            }
            catch (FormatException error)
            {
                throw new FormatException("The player who is saved in " + (file ?? "SavedState") + " cannot be read: repair or remove it: " + error.Message, error);
            }
            LoadPlayer(_saved);
            _deviceSecret = _saved.Find("deviceSecret") as string;
        }

        private void LoadPlayer(JsonObject saved)
        {
            RejectCalls(SessionEnded()); // of the player before, whose next session sends them
            _isQueueHeld = false;
            foreach (var call in _pending.Where(one => one.Queued != null).ToList())
            {
                call.Unsend();
                _pending.Remove(call);
            }
            _cursors = new StreamPositions();
            _queue = new OfflineQueue();
            _cursors.Load(saved.Find("cursors") as JsonObject, saved.Find("notifications") as List<object>);
            _queue.Load(saved.Find("queue") as List<object>);
        }

        /// <summary>
        /// A launcher's player who is not the saved state's has a part of its own. When another player signs in on this
        /// device, what is saved for the one before is set aside, so that neither gets what is the other's.
        /// </summary>
        private void ChoosePlace(Session session)
        {
            if (session.Wallet == null) return;
            var isSaved = IsSavedFor(_saved, session);
            if (session.IsOfLauncher)
            {
                if (isSaved) return;
                _isKeptApart = true;
                LoadPart("launcher", session);
                return;
            }
            if (_isKeptApart)
            {
                var part = new JsonObject();
                WritePlayer(part);
                _saved["launcher"] = part;
                _isKeptApart = false;
                LoadPlayer(_saved);
            }
            if (isSaved || _saved.Find("wallet") == null) return;
            var previous = new JsonObject { { "wallet", _saved["wallet"] }, { "userId", _saved.Find("userId") } };
            WritePlayer(previous, false);
            LoadPart("previous", session);
            _saved["previous"] = previous;
        }

        /// <summary>Whether this was saved for the player, perhaps before the player got a wallet.</summary>
        private static bool IsSavedFor(JsonObject saved, Session session)
        {
            var userId = saved.Find("userId") as string;
            return saved.Find("wallet") as string == session.Wallet || (userId != null && userId == session.Player?.UserId);
        }

        private void LoadPart(string name, Session session)
        {
            var part = _saved.Find(name) as JsonObject;
            LoadPlayer(part != null && IsSavedFor(part, session) ? part : new JsonObject());
        }

        private void WritePlayer(JsonObject place, bool isOfSession = true)
        {
            var cursors = _cursors.ToJson();
            foreach (var stream in _loading.Keys) cursors.Remove(stream);
            place["cursors"] = cursors;
            place["notifications"] = _cursors.NotificationIds();
            place["queue"] = _queue.ToJson();
            if (!isOfSession || _session?.Wallet == null) return;
            place["wallet"] = _session.Wallet;
            if (_session.Player != null) place["userId"] = _session.Player.UserId;
        }

        private void Save()
        {
            foreach (var one in _loading.Where(one => one.Value.Status == TaskStatus.RanToCompletion).ToList())
            {
                _loading.Remove(one.Key);
                _isDirty = true;
            }
            if (_isDirty && Now - _savedAt >= SaveIntervalMs) SaveNow();
        }

        private void SaveNow()
        {
            _isSaveDue = _isHandling;
            if (_isHandling) return;
            _isDirty = false;
            _savedAt = Now;
            if (_options.Save == null && _options.StateFile == null) return;
            var place = _isKeptApart ? new JsonObject() : _saved;
            WritePlayer(place);
            if (_isKeptApart) _saved["launcher"] = place;
            else
            {
                if (_deviceSecret != null) _saved["deviceSecret"] = _deviceSecret;
                if (_session?.ExpiresAt != null && !_session.IsOfLauncher)
                    _saved["session"] = new JsonObject { { "launcherJwt", _session.Token }, { "expiresAt", _session.ExpiresAt } };
            }
            Guard(() => Store(Json.Write(_saved)));
        }

        private void Store(string text)
        {
            _options.Save?.Invoke(text);
            if (_options.StateFile == null) return;
            var next = _options.StateFile + ".new"; // so that a crash leaves one of the two whole
            File.WriteAllText(next, text);
            if (File.Exists(_options.StateFile)) File.Replace(next, _options.StateFile, null);
            else File.Move(next, _options.StateFile);
        }
    }
}
