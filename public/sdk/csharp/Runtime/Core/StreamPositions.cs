using System.Collections.Generic;
using System.Linq;

namespace Gantry
{
    /// <summary>A client's position in one stream.</summary>
    public struct Cursor
    {
        public string Epoch { get; }
        public long Seq { get; }

        public Cursor(string epoch, long seq)
        {
            Epoch = epoch;
            Seq = seq;
        }
    }

    /// <summary>An event's position in its stream. A signal has only a stream.</summary>
    public sealed class Meta
    {
        public string Stream { get; }

        /// <summary>The epoch of the stream in which <see cref="Seq"/> counts; null for a signal.</summary>
        public string Epoch { get; }

        /// <summary>The event's number in its stream, from 1; null for a signal.</summary>
        public long? Seq { get; }

        /// <summary>A notification that was sent while no launcher of the player was connected.</summary>
        public bool IsLate { get; }

        internal Meta(JsonObject json)
        {
            Stream = json.Find("stream") as string;
            Epoch = json.Find("epoch") as string;
            Seq = Read.OptionalInteger(json.Find("seq"));
            IsLate = json.Find("late") as bool? ?? false;
        }
    }

    internal enum Verdict
    {
        Take,
        Drop,

        /// <summary>An event before this one is missing.</summary>
        Gap
    }

    /// <summary>
    /// A client's position in every stream (section 6 of PROTOCOL.md): decides whether an event is new, a duplicate, or
    /// follows a gap.
    /// </summary>
    internal sealed class StreamPositions
    {
        /// <summary>Notifications may come again behind the cursor, so their ids are kept.</summary>
        private const int MaxNotificationIds = 1000;

        /// <summary>The server rejects handshakes that are too long.</summary>
        private const int MaxSent = 1000;

        private readonly Dictionary<string, Cursor> _positions = new Dictionary<string, Cursor>();
        private readonly Dictionary<string, long> _activity = new Dictionary<string, long>();
        private readonly HashSet<string> _notificationIds = new HashSet<string>();
        private readonly Queue<string> _notificationOrder = new Queue<string>();
        private long _steps;

        public int Count
        {
            get { return _positions.Count; }
        }

        public IEnumerable<string> Streams
        {
            get { return _positions.Keys.ToList(); }
        }

        public bool TryGet(string stream, out Cursor cursor)
        {
            return _positions.TryGetValue(stream, out cursor);
        }

        public void Set(string stream, Cursor cursor)
        {
            _positions[stream] = cursor;
            _activity[stream] = ++_steps;
        }

        /// <summary>Like <see cref="Set"/>, unless the stream already has a cursor with the same epoch, which is more recent.</summary>
        public void Begin(string stream, Cursor cursor)
        {
            if (!_positions.TryGetValue(stream, out var own) || own.Epoch != cursor.Epoch) Set(stream, cursor);
        }

        public void Forget(string stream)
        {
            _positions.Remove(stream);
            _activity.Remove(stream);
        }

        public void Clear()
        {
            _positions.Clear();
            _activity.Clear();
        }

        /// <summary>Decides what to do with an event, and advances the cursor if it is new.</summary>
        public Verdict Judge(string name, Meta meta, string recordId)
        {
            if (meta.Epoch == null || meta.Seq == null) return Verdict.Take;
            var verdict = meta.IsLate ? Verdict.Take : JudgeSeq(meta.Stream, new Cursor(meta.Epoch, meta.Seq.Value));
            var isNew = verdict != Verdict.Take || name != "notifications created" || recordId == null || Remember(recordId);
            return isNew ? verdict : Verdict.Drop;
        }

        private Verdict JudgeSeq(string stream, Cursor cursor)
        {
            if (_positions.TryGetValue(stream, out var own) && own.Epoch == cursor.Epoch)
            {
                if (cursor.Seq <= own.Seq) return Verdict.Drop;
                if (cursor.Seq > own.Seq + 1) return Verdict.Gap;
            }
            Set(stream, cursor);
            return Verdict.Take;
        }

        private bool Remember(string id)
        {
            if (!_notificationIds.Add(id)) return false;
            _notificationOrder.Enqueue(id);
            if (_notificationOrder.Count > MaxNotificationIds) _notificationIds.Remove(_notificationOrder.Dequeue());
            return true;
        }

        /// <summary>
        /// The cursors for a handshake: all, or those of players and games and of the most recently active channels,
        /// with <c>partial</c>.
        /// </summary>
        public void AddTo(JsonObject handshake)
        {
            var sent = _positions.Keys.ToList();
            if (sent.Count > MaxSent)
            {
                sent = sent.OrderBy(stream => stream.StartsWith("channel:", System.StringComparison.Ordinal) ? 1 : 0)
                    .ThenByDescending(stream => _activity[stream]).Take(MaxSent).ToList();
                handshake["partial"] = true;
            }
            handshake["cursors"] = ToJson(sent);
        }

        public JsonObject ToJson()
        {
            return ToJson(_positions.Keys.OrderBy(stream => _activity[stream]));
        }

        private JsonObject ToJson(IEnumerable<string> streams)
        {
            var json = new JsonObject();
            foreach (var stream in streams)
                json[stream] = new JsonObject { { "epoch", _positions[stream].Epoch }, { "seq", _positions[stream].Seq } };
            return json;
        }

        public List<object> NotificationIds()
        {
            return _notificationOrder.Cast<object>().ToList();
        }

        public void Load(JsonObject cursors, List<object> notificationIds)
        {
            foreach (var member in cursors ?? new JsonObject())
                if (member.Value is JsonObject cursor && cursor.Find("epoch") is string epoch)
                    Set(member.Key, new Cursor(epoch, Read.Integer(cursor.Find("seq"))));
            foreach (var id in notificationIds ?? new List<object>())
                if (id is string text) Remember(text);
        }
    }
}
