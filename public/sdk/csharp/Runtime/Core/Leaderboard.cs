using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>A leaderboard of the player's game, see <see cref="GantryClient.Leaderboard"/>.</summary>
    public sealed class Leaderboard
    {
        internal const string Default = "default";

        /// <summary>The server sends changes of as many rows.</summary>
        private const int MaxRows = 50;

        private readonly LeaderboardSubscription _game;
        private readonly string _name;
        private readonly List<Follower> _followers = new List<Follower>();

        /// <summary>Those that arrived while the rows are being loaded.</summary>
        private readonly List<LeaderboardChange> _changes = new List<LeaderboardChange>();

        /// <summary>Null until they are loaded.</summary>
        private List<LeaderboardRow> _rows;

        private Task _loading;

        /// <summary>Whether the rows have to be loaded again: a change of them is missing, or loading failed.</summary>
        private bool _isStale;

        internal Leaderboard(LeaderboardSubscription game, string name)
        {
            _game = game;
            _name = name;
        }

        /// <summary>
        /// Subscribes to the game's public stream, and calls the listener with the first rows, best first: once before the
        /// task completes, and after every change. Followers of one leaderboard share its rows.
        /// </summary>
        /// <param name="limit">The maximum number of rows, at most 50.</param>
        /// <returns>Dispose of it to stop; the subscription stays.</returns>
        /// <exception cref="GantryException">Such as <c>leaderboard_unknown</c>.</exception>
        public async Task<IDisposable> FollowAsync(Action<IReadOnlyList<LeaderboardRow>> listener, int limit = 10, CancellationToken cancellationToken = default(CancellationToken))
        {
            if (limit < 1 || limit > MaxRows) throw new ArgumentOutOfRangeException(nameof(limit), "The limit is 1 to " + MaxRows);
            var follower = new Follower(listener, limit);
            Task loading = null;
            lock (_game.Gate)
            {
                _followers.Add(follower);
                if (_rows == null) loading = _loading ?? Load();
            }
            try
            {
                if (loading != null) await OrCancelled(loading, cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                Stop(follower);
                throw;
            }
            lock (_game.Gate)
            {
                follower.IsStarted = true;
                Show(follower);
            }
            return new Subscription(() => Stop(follower));
        }

        internal void Change(LeaderboardChange change)
        {
            if (_followers.Count == 0) return;
            if (_loading != null) _changes.Add(change);
            else if (_isStale) Reload();
            else
            {
                Merge(change);
                ShowAll();
            }
        }

        /// <summary>Loads the rows again: a season has ended, or changes were missed.</summary>
        internal void Reload()
        {
            if (_followers.Count == 0) return;
            _isStale = true;
            if (_loading == null) Load().ContinueWith(task => task.Exception, TaskContinuationOptions.OnlyOnFaulted);
        }

        private void Stop(Follower follower)
        {
            lock (_game.Gate)
            {
                if (_followers.Remove(follower) && _followers.Count == 0) _rows = null; // changes are not applied from now on
            }
        }

        private Task Load()
        {
            var loading = LoadRows();
            if (!loading.IsCompleted) _loading = loading;
            return loading;
        }

        private async Task LoadRows()
        {
            _isStale = false;
            _changes.Clear();
            try
            {
                var rows = await _game.ReadAsync(_name, MaxRows).ConfigureAwait(false);
                lock (_game.Gate)
                {
                    _loading = null;
                    _rows = rows;
                    foreach (var change in _changes) Merge(change);
                    ShowAll();
                }
            }
            catch (Exception)
            {
                lock (_game.Gate)
                {
                    _loading = null;
                    _isStale = true;
                }
                throw;
            }
        }

        /// <summary>Puts each row at its position, and cuts the leaderboard to its length.</summary>
        private void Merge(LeaderboardChange change)
        {
            var rows = new List<LeaderboardRow>(_rows);
            foreach (var row in change.Rows.OrderBy(row => row.Position))
            {
                var at = (int)row.Position - 1;
                if (at < rows.Count) rows[at] = row;
                else if (at == rows.Count) rows.Add(row);
            }
            if (rows.Count > change.Length) rows.RemoveRange((int)change.Length, rows.Count - (int)change.Length);
            if (rows.Count < Math.Min(change.Length, MaxRows)) _isStale = true; // some are not known
            _rows = rows;
        }

        private void ShowAll()
        {
            if (_isStale) Reload();
            else
                foreach (var follower in _followers.Where(one => one.IsStarted).ToList()) Show(follower);
        }

        private void Show(Follower follower)
        {
            _game.Guard(() => follower.Listener((_rows ?? new List<LeaderboardRow>()).Take(follower.Limit).ToList()));
        }

        /// <summary>Waits for the task until the token is cancelled; the task itself goes on.</summary>
        internal static async Task OrCancelled(Task task, CancellationToken token)
        {
            var cancelled = new TaskCompletionSource<bool>();
            using (token.Register(() => cancelled.TrySetResult(true)))
            {
                if (await Task.WhenAny(task, cancelled.Task).ConfigureAwait(false) != task) throw new OperationCanceledException(token);
            }
            await task.ConfigureAwait(false);
        }

        private sealed class Follower
        {
            public Action<IReadOnlyList<LeaderboardRow>> Listener { get; }
            public int Limit { get; }

            /// <summary>Whether it was called with the first rows.</summary>
            public bool IsStarted { get; set; }

            public Follower(Action<IReadOnlyList<LeaderboardRow>> listener, int limit)
            {
                Listener = listener;
                Limit = limit;
            }
        }
    }
}
