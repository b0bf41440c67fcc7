using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Gantry
{
    /// <summary>The leaderboards of a client's game that it follows, and the subscription to the changes of all of them.</summary>
    internal sealed class LeaderboardSubscription
    {
        private readonly GantryClient _client;
        private readonly Dictionary<string, Leaderboard> _leaderboards = new Dictionary<string, Leaderboard>();
        private Task<SubscribeOutput> _subscribing;
        private string _stream;

        public LeaderboardSubscription(GantryClient client, object gate, Action<Action> guard)
        {
            _client = client;
            Gate = gate;
            Guard = guard;
            client.On(Events.LeaderboardsPatched, (change, meta) => With(Leaderboard.Default, meta, one => one.Change(change)));
            client.On(Events.NamedLeaderboardsPatched, (change, meta) => With(change.Leaderboard, meta, one => one.Change(new LeaderboardChange(change.Json))));
            client.On(Events.LeaderboardSeasonsEnded, (season, meta) => With(season.Leaderboard, meta, one => one.Reload()));
            // Changes are not replayed.
            client.StatusChanged += status =>
            {
                if (status.State == ConnectionState.Live)
                    foreach (var one in _leaderboards.Values.ToList()) one.Reload();
            };
        }

        public object Gate { get; }

        /// <summary>Calls the game's code.</summary>
        public Action<Action> Guard { get; }

        public Leaderboard Find(string name)
        {
            if (!_leaderboards.TryGetValue(name, out var found)) _leaderboards[name] = found = new Leaderboard(this, name);
            return found;
        }

        public async Task<List<LeaderboardRow>> ReadAsync(string name, int limit)
        {
            if (name == Leaderboard.Default) return (await Subscribe().ConfigureAwait(false)).Leaderboard.ToList();
            await (_subscribing == null || _subscribing.IsFaulted || _subscribing.IsCanceled ? Subscribe() : _subscribing).ConfigureAwait(false);
            var answer = await _client.GetGameScoresLeaderboardAsync(new GetGameScoresLeaderboardInput { Leaderboard = name, Limit = limit }).ConfigureAwait(false);
            return answer.Leaderboard.Select((row, at) => new LeaderboardRow(new JsonObject(row.Json)) { Position = at + 1 }).ToList();
        }

        private Task<SubscribeOutput> Subscribe()
        {
            return _subscribing = Subscribed();
        }

        private async Task<SubscribeOutput> Subscribed()
        {
            var answer = await _client.SubscribeAsync().ConfigureAwait(false);
            lock (Gate) _stream = answer.Stream;
            return answer;
        }

        private void With(string name, Meta meta, Action<Leaderboard> handle)
        {
            if (meta.Stream == _stream && name != null && _leaderboards.TryGetValue(name, out var found)) handle(found);
        }
    }
}
