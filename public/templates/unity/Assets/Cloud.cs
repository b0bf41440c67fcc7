using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Gantry;

/// <summary>Everything this game asks of Gantry. The game and what it shows are in FallingStars.</summary>
public sealed class Cloud
{
    private const string Connecting = "Connecting";

    private readonly List<long> _unsaved = new List<long>();
    private GantryClient _client;
    private bool _isLoaded;

    public IReadOnlyList<LeaderboardRow> Rows { get; private set; } = new LeaderboardRow[0];

    /// <summary>What is saved, with <see cref="Rounds"/>: the same on every device of the player.</summary>
    public long Best { get; private set; }

    public long Rounds { get; private set; }

    /// <summary>What the player should know of the connection; empty if all is well.</summary>
    public string News { get; private set; } = Connecting;

    /// <summary>
    /// Connects the player of the launcher that has opened the game; otherwise a guest, the same one at every start. While
    /// the server cannot be reached, this is tried again for a day: the game can be played meanwhile. Returns the player's
    /// name; null if the player was refused.
    /// </summary>
    public async Task<string> Start()
    {
        try
        {
            _client = await GantryClient.ConnectAsync(new ConnectOptions
            {
                Url = GameConfig.Url, Game = GameConfig.Game, SignInTimeout = TimeSpan.FromDays(1)
            });
            News = "";
            _client.StatusChanged += Tell;
            _client.QueuedCallEnded += answer =>
            {
                if (answer.Error != null) News = answer.Error.Message;
            };
            await _client.Leaderboard().FollowAsync(rows => Rows = rows);
            // An empty change reads what is saved. Queued, it does so after the rounds that were finished offline have been sent.
            var read = new PatchStateInput { Label = "progress", Patch = new JsonObject() };
            var answered = await _client.PatchStateAsync(read, new CallOptions { IsQueued = true });
            var saved = (JsonObject)answered.NewState.State;
            Best = Convert.ToInt64(saved.Find("best"));
            Rounds = Convert.ToInt64(saved.Find("rounds"));
            _isLoaded = true;
            Save();
            return _client.Player.Username;
        }
        catch (GantryException error)
        {
            News = error.Message;
            return null;
        }
    }

    /// <summary>Call this when connecting takes longer than it does while the server is there.</summary>
    public void TellIfWaiting()
    {
        if (News == Connecting) News = "The server cannot be reached. Trying again: keep the game running, and rounds are saved when it is back";
    }

    /// <summary>
    /// Saves a finished round. Queued calls are kept until the server has them, also when the network is away or the game
    /// is closed, and are executed once. The leaderboard shows each player's best score.
    /// </summary>
    public void SaveRound(long score)
    {
        _unsaved.Add(score);
        if (_isLoaded) Save();
    }

    /// <summary>The name of others on the board changes with their scores; the player's own, at once.</summary>
    public string NameOf(LeaderboardRow row)
    {
        return row.NormalizedAddress == _client.Player.Wallet ? _client.Player.Username : row.Username;
    }

    public async void Rename(string username)
    {
        try
        {
            if (_client != null) await _client.SetUsernameAsync(new SetUsernameInput { Username = username });
        }
        catch (GantryException error) when (error.Reason == Reasons.SignInRequired)
        {
            News = "Change your name in the launcher"; // it has opened the session, and manages the player
        }
        catch (GantryException error)
        {
            News = error.Message;
        }
    }

    private void Save()
    {
        if (_unsaved.Count == 0) return;
        foreach (var score in _unsaved)
        {
            Best = Math.Max(Best, score);
            Rounds += 1;
            Queue(_client.SetUserScoreAsync(new SetUserScoreInput { Score = score }, new CallOptions { IsQueued = true }));
        }
        _unsaved.Clear();
        var progress = new JsonObject { { "best", Best }, { "rounds", Rounds } };
        Queue(_client.SetStateAsync(new SetStateInput { Label = "progress", State = progress }, new CallOptions { IsQueued = true }));
    }

    /// <summary>QueuedCallEnded tells of errors.</summary>
    private static void Queue(Task call)
    {
        call.ContinueWith(done => done.Exception, TaskContinuationOptions.OnlyOnFaulted);
    }

    private void Tell(Status status)
    {
        switch (status.State)
        {
            case ConnectionState.Live:
                News = "";
                break;
            case ConnectionState.Connecting:
                News = "Offline: rounds are saved when you are online again";
                break;
            case ConnectionState.Refused:
                News = status.Error.Message;
                break;
            default:
                News = "Your session has ended: start the game again";
                break;
        }
    }
}
