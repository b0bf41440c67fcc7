using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        /// <summary>The minimum interval between two saves, except for queued calls, which are saved immediately.</summary>
        private const long SaveIntervalMs = 100;

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

        private void Load(string savedState)
        {
            var saved = Json.ParseObject(savedState);
            _cursors.Load(saved.Find("cursors") as JsonObject, saved.Find("notifications") as List<object>);
            _queue.Load(saved.Find("queue") as List<object>);
            _deviceSecret = saved.Find("deviceSecret") as string;
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
            if (_options.Save == null) return;
            var cursors = _cursors.ToJson();
            foreach (var stream in _loading.Keys) cursors.Remove(stream);
            var saved = new JsonObject
            {
                { "cursors", cursors }, { "notifications", _cursors.NotificationIds() }, { "queue", _queue.ToJson() }
            };
            if (_deviceSecret != null) saved["deviceSecret"] = _deviceSecret;
            Guard(() => _options.Save(Json.Write(saved)));
        }
    }
}
