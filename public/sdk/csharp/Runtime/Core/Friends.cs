using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>The player's friends, as they change, see <see cref="GantryClient.Friends"/>.</summary>
    public sealed class Friends
    {
        internal const string Offline = "offline";

        /// <summary>The largest page of <c>listFriends</c>.</summary>
        private const int PageRows = 250;

        private readonly GantryClient _client;
        private readonly object _gate;
        private readonly Action<Action> _guard;
        private readonly Snapshot<Friend> _list = new Snapshot<Friend>(friend => friend.Wallet);
        private readonly Snapshot<FriendPresence> _presence = new Snapshot<FriendPresence>(friend => friend.Wallet);
        private readonly List<Action<FriendList>> _followers = new List<Action<FriendList>>();
        private Task _loading;

        internal Friends(GantryClient client, object gate, Action<Action> guard)
        {
            _client = client;
            _gate = gate;
            _guard = guard;
            client.On(Events.FriendsCreated, (record, meta) => Change(_list, () => Put(record)));
            client.On(Events.FriendsPatched, (record, meta) => Change(_list, () => Put(record)));
            client.On(Events.FriendsRemoved, (record, meta) => Change(_list, () => Remove(record.Wallet)));
            client.On(Events.FriendPresencePatched, (record, meta) => Change(_presence, () => Patch(record.Friends)));
            client.OnResync(stream => stream.StartsWith("account:", StringComparison.Ordinal) ? Reload(_list) : Task.FromResult(true));
            // Presence is followed by a connection, and its changes are not replayed.
            client.StatusChanged += status =>
            {
                if (status.State == ConnectionState.Live) Ignore(Reload(_presence));
            };
        }

        /// <summary>
        /// Calls the listener with the player's friends and friend requests: once before the task completes, and after every
        /// change.
        /// </summary>
        /// <returns>Dispose of it to stop.</returns>
        /// <exception cref="GantryException">They cannot be read.</exception>
        /// <exception cref="OperationCanceledException">It was cancelled.</exception>
        public async Task<IDisposable> FollowAsync(Action<FriendList> listener, CancellationToken cancellationToken = default(CancellationToken))
        {
            Action<FriendList> follower = list => listener(list); // the same listener may follow twice
            Task loading = null;
            lock (_gate)
            {
                _followers.Add(follower);
                if (IsStale || _loading != null) loading = Load();
                else Show(new[] { follower });
            }
            try
            {
                if (loading != null) await Leaderboard.OrCancelled(loading, cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                Stop(follower);
                throw;
            }
            return new Subscription(() => Stop(follower));
        }

        private bool IsStale
        {
            get { return _list.IsStale || _presence.IsStale; }
        }

        private void Stop(Action<FriendList> follower)
        {
            lock (_gate)
            {
                if (!_followers.Remove(follower) || _followers.Count > 0) return;
                _list.IsStale = true;
                _presence.IsStale = true;
                Ignore(Unfollow(_loading));
            }
        }

        /// <summary>Not before <c>followPresence</c>; if it fails, the connection is lost, and what it followed with it.</summary>
        private async Task Unfollow(Task loading)
        {
            try
            {
                if (loading != null) await loading.ConfigureAwait(false);
            }
            catch (GantryException)
            {
            }
            Task unfollowing;
            lock (_gate)
            {
                if (_followers.Count > 0) return;
                unfollowing = _client.UnfollowPresenceAsync();
            }
            await unfollowing.ConfigureAwait(false);
        }

        private void Put(FriendRecord record)
        {
            if (!_list.Items.TryGetValue(record.Wallet, out var known))
            {
                _list.IsStale = true; // the event does not have the name
                return;
            }
            var friend = new JsonObject(known.Json);
            foreach (var member in record.Json)
                if (member.Key != "normalizedAddress") friend[member.Key] = member.Value;
            _list.Items[record.Wallet] = new Friend(friend);
        }

        private void Remove(string wallet)
        {
            _list.Items.Remove(wallet);
            _presence.Items.Remove(wallet);
        }

        private void Patch(IReadOnlyList<FriendPresence> friends)
        {
            foreach (var friend in friends) _presence.Items[friend.Wallet] = friend;
            Expect(friends);
        }

        /// <summary>A friend who is online and not in the list has come into the game whose friends this session sees.</summary>
        private void Expect(IEnumerable<FriendPresence> friends)
        {
            if (friends.Any(friend => friend.Status != Offline && !_list.Items.ContainsKey(friend.Wallet))) _list.IsStale = true;
        }

        private void Change<T>(Snapshot<T> snapshot, Action change)
        {
            if (_followers.Count == 0) return;
            snapshot.Change(change);
            if (IsStale) Ignore(Load()); // until the next change or reconnect
            else if (_loading == null) Show(_followers.ToList());
        }

        private Task Reload<T>(Snapshot<T> snapshot)
        {
            if (_followers.Count == 0) return Task.FromResult(true);
            snapshot.IsStale = true;
            return Load();
        }

        private Task Load()
        {
            if (_loading != null) return _loading;
            var loading = LoadStale();
            if (!loading.IsCompleted) _loading = loading;
            return loading;
        }

        /// <summary>Loads what is stale, and shows it.</summary>
        private async Task LoadStale()
        {
            try
            {
                while (true)
                {
                    lock (_gate)
                    {
                        if (_followers.Count == 0 || !IsStale)
                        {
                            _loading = null;
                            Show(_followers.ToList());
                            return;
                        }
                    }
                    if (_list.IsStale) await Read(_list, ReadList).ConfigureAwait(false);
                    else await Read(_presence, ReadPresence).ConfigureAwait(false);
                }
            }
            catch
            {
                lock (_gate) _loading = null;
                throw;
            }
        }

        private async Task Read<T>(Snapshot<T> snapshot, Func<Task<List<T>>> read)
        {
            lock (_gate) snapshot.Begin();
            List<T> items = null;
            try
            {
                items = await read().ConfigureAwait(false);
            }
            finally
            {
                lock (_gate) snapshot.End(items);
            }
        }

        private async Task<List<Friend>> ReadList()
        {
            var list = new List<Friend>();
            for (var cursor = "";;)
            {
                var page = await _client.ListFriendsAsync(new ListFriendsInput { Limit = PageRows, Cursor = cursor }).ConfigureAwait(false);
                list.AddRange(page.Friends);
                if (!page.More) return list;
                cursor = page.NextCursor;
            }
        }

        private async Task<List<FriendPresence>> ReadPresence()
        {
            var answer = await _client.FollowPresenceAsync().ConfigureAwait(false);
            lock (_gate) Expect(answer.Friends);
            return answer.Friends.ToList();
        }

        private void Show(IEnumerable<Action<FriendList>> followers)
        {
            var rows = _list.Items.Values.OrderByDescending(row => row.ChangedAt).ToLookup(row => row.State);
            var friends = rows["friend"]
                .Select(friend => new FollowedFriend(friend, _presence.Items.TryGetValue(friend.Wallet, out var presence) ? presence : null))
                .OrderBy(one => !one.Friend.Favorite)
                .ThenBy(one => one.Presence.Status == Offline)
                .ThenBy(one => one.Friend.Username.ToLowerInvariant(), StringComparer.Ordinal)
                .ToList();
            var list = new FriendList(friends, rows["received"].ToList(), rows["sent"].ToList());
            foreach (var follower in followers) _guard(() => follower(list));
        }

        private static void Ignore(Task task)
        {
            task.ContinueWith(failed => failed.Exception, TaskContinuationOptions.OnlyOnFaulted);
        }
    }
}
