using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>
    /// The game's config, as it changes, see <see cref="GantryClient.Config"/>. It is read when the program first uses it and
    /// after every reconnect; while there is no connection, the last values stay.
    /// </summary>
    public sealed class Config
    {
        /// <summary>The delay before a failed read is repeated when the server specifies none.</summary>
        private const double RepeatMs = 5000;

        private readonly GantryClient _client;
        private readonly object _gate;
        private readonly string _label;
        private readonly Func<TimeSpan, Task> _pause;
        private readonly Action<Action> _guard;
        private readonly Random _random = new Random();
        private readonly List<Action<JsonObject>> _followers = new List<Action<JsonObject>>();
        private JsonObject _values = new JsonObject();

        /// <summary>Null until the config was read.</summary>
        private long? _version;

        /// <summary>Of the values, as they were read; null: they have changed since.</summary>
        private string _etag;

        private bool _isListening;

        /// <summary>The connection that it was last read for.</summary>
        private Status _readFor;

        private Task _reading;

        /// <summary>The last one that was begun; null: none.</summary>
        private Task _latest;

        /// <summary>Whether the values being read may be outdated already.</summary>
        private bool _isStale;

        private List<ConfigPatched> _missed = new List<ConfigPatched>();

        /// <summary>The read that waits for its time.</summary>
        private object _waiting;

        private DateTime _spreadEndsAt = DateTime.MinValue;

        internal Config(GantryClient client, object gate, string label, Func<TimeSpan, Task> pause, Action<Action> guard)
        {
            _client = client;
            _gate = gate;
            _label = label;
            _pause = pause;
            _guard = guard;
        }

        /// <summary>The version of the values; 0: not read yet, or nothing was ever set.</summary>
        public long Version
        {
            get
            {
                Listen();
                return _version ?? 0;
            }
        }

        /// <summary>All values by key; empty until they were read.</summary>
        public JsonObject Values
        {
            get
            {
                Listen();
                return new JsonObject(_values);
            }
        }

        /// <summary>A key's value; the default while it has none of this type, or was not read yet.</summary>
        /// <typeparam name="T">A whole number is <c>long</c>, another one <c>double</c>; with <c>double</c>, both are read.</typeparam>
        public T Get<T>(string key, T otherwise)
        {
            Listen();
            var value = _values.Find(key);
            if (value is long whole && typeof(T) == typeof(double)) value = (double)whole;
            return value is T typed ? typed : otherwise;
        }

        /// <summary>Completes when the config was read.</summary>
        /// <exception cref="GantryException">It cannot be read.</exception>
        public async Task LoadAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            Task before;
            lock (_gate) before = _latest;
            Listen();
            if (_version != null) return;
            await _client.ReadyAsync(cancellationToken).ConfigureAwait(false);
            Task reading;
            lock (_gate)
            {
                if (_version != null) return;
                // One that has begun meanwhile may have ended already, such as with a refusal.
                reading = _latest == before ? Read() : _latest;
            }
            await Leaderboard.OrCancelled(reading, cancellationToken).ConfigureAwait(false);
        }

        /// <summary>Calls the listener with all values: once before the task completes, and after every change.</summary>
        /// <returns>Dispose of it to stop.</returns>
        /// <exception cref="GantryException">They cannot be read.</exception>
        public async Task<IDisposable> FollowAsync(Action<JsonObject> listener, CancellationToken cancellationToken = default(CancellationToken))
        {
            await LoadAsync(cancellationToken).ConfigureAwait(false);
            Action<JsonObject> follower = values => listener(values); // the same listener may follow twice
            lock (_gate)
            {
                _followers.Add(follower);
                _guard(() => follower(new JsonObject(_values)));
            }
            return new Subscription(() =>
            {
                lock (_gate) _followers.Remove(follower);
            });
        }

        private void Listen()
        {
            lock (_gate)
            {
                if (_isListening) return;
                _isListening = true;
                _client.On(Events.ConfigPatched, (patch, meta) => Take(patch));
                _client.StatusChanged += Connected;
                Connected(_client.Status);
            }
        }

        private void Connected(Status status)
        {
            lock (_gate)
            {
                // It may have been read already for a connection that is reported late.
                if (status.State != ConnectionState.Live || status == _readFor) return;
                _readFor = status;
                if (_reading != null) _isStale = true;
                else Ignore(Read());
            }
        }

        private void Take(ConfigPatched patch)
        {
            if (_reading != null) _missed.Add(patch);
            if (_reading != null || _version == null || patch.Version <= _version) return;
            if (patch.Version == _version + 1 && patch.Values != null)
            {
                var values = new JsonObject(_values.Where(member => !patch.Keys.Contains(member.Key)));
                foreach (var member in patch.Values) values[member.Key] = member.Value;
                Change(values, patch.Version);
            }
            else if (_waiting == null)
            {
                var now = DateTime.UtcNow;
                var from = now > _spreadEndsAt ? now : _spreadEndsAt;
                _spreadEndsAt = from.AddMilliseconds(patch.SpreadMs);
                Ignore(ReadIn(from.AddMilliseconds(_random.NextDouble() * patch.SpreadMs) - now));
            }
        }

        private async Task ReadIn(TimeSpan time)
        {
            var waiting = new object();
            _waiting = waiting;
            await _pause(time).ConfigureAwait(false);
            Task reading;
            lock (_gate)
            {
                // After a loss of the connection, the next one reads.
                if (_waiting != waiting) return;
                _waiting = null;
                if (_client.Status.State != ConnectionState.Live) return;
                reading = Read();
            }
            await reading.ConfigureAwait(false);
        }

        private Task Read()
        {
            lock (_gate)
            {
                _waiting = null;
                if (_reading != null) return _reading;
                _readFor = _client.Status;
                var reading = ReadLatest();
                if (!reading.IsCompleted) _reading = reading;
                return _latest = reading;
            }
        }

        private async Task ReadLatest()
        {
            try
            {
                while (!await ReadOnce().ConfigureAwait(false))
                {
                }
            }
            catch (GantryException error)
            {
                lock (_gate)
                {
                    _reading = null;
                    var delay = error.RetryAfter ?? TimeSpan.FromMilliseconds(RepeatMs * (1 + _random.NextDouble()));
                    if (error.IsTemporary) Ignore(ReadIn(delay));
                }
                throw;
            }
        }

        /// <summary>False if there may be a later version already.</summary>
        private async Task<bool> ReadOnce()
        {
            var input = new GetConfigInput();
            lock (_gate)
            {
                _isStale = false;
                _missed.Clear();
                if (_label != null) input.Label = _label;
                if (_etag != null) input.IfNoneMatch = _etag;
            }
            GetConfigOutput answer = null;
            try
            {
                answer = await _client.GetConfigAsync(input).ConfigureAwait(false);
            }
            catch (GantryException)
            {
                if (!_isStale) throw;
            }
            lock (_gate)
            {
                if (answer != null && !answer.Unchanged) Change(answer.Values, answer.Version);
                if (answer != null) _etag = answer.Etag;
                if (_isStale) return false;
                _reading = null;
                var missed = _missed;
                _missed = new List<ConfigPatched>();
                missed.ForEach(Take);
                return true;
            }
        }

        private void Change(JsonObject values, long version)
        {
            _values = values;
            _version = version;
            _etag = null;
            foreach (var show in _followers.ToList()) _guard(() => show(new JsonObject(values)));
        }

        private static void Ignore(Task task)
        {
            task.ContinueWith(failed => failed.Exception, TaskContinuationOptions.OnlyOnFaulted);
        }
    }
}
