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
            _saved = Json.ParseObject(text);
            LoadPlayer(_saved);
            _deviceSecret = _saved.Find("deviceSecret") as string;
        }

        private void LoadPlayer(JsonObject saved)
        {
            _cursors = new StreamPositions();
            _queue = new OfflineQueue();
            _cursors.Load(saved.Find("cursors") as JsonObject, saved.Find("notifications") as List<object>);
            _queue.Load(saved.Find("queue") as List<object>);
        }

        /// <summary>
        /// A launcher's player who is not the saved state's has a part of its own, and another guest replaces the one of the
        /// saved state, so that neither gets what is the other's.
        /// </summary>
        private void ChoosePlace(Session session)
        {
            var wallet = session.Wallet;
            var saved = _saved.Find("wallet") as string;
            if (wallet == null || wallet == saved) return;
            if (!session.IsOfLauncher)
            {
                if (saved != null) LoadPlayer(new JsonObject());
                return;
            }
            _isKeptApart = true;
            var own = _saved.Find("launcher") as JsonObject;
            LoadPlayer(own?.Find("wallet") as string == wallet ? own : new JsonObject());
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
            var cursors = _cursors.ToJson();
            foreach (var stream in _loading.Keys) cursors.Remove(stream);
            place["cursors"] = cursors;
            place["notifications"] = _cursors.NotificationIds();
            place["queue"] = _queue.ToJson();
            if (_session?.Wallet != null) place["wallet"] = _session.Wallet;
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
