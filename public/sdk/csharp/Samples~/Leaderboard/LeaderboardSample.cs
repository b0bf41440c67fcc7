#if UNITY_5_3_OR_NEWER
using System.Collections.Generic;
using Gantry;
using UnityEngine;

/// <summary>
/// A whole small game: connects as the launcher's player or as a guest, scores, shows the leaderboard as it changes and
/// the notifications as they come. Put it on an empty object of a scene, and set the game in the inspector.
/// </summary>
public sealed class LeaderboardSample : MonoBehaviour
{
    public string Url = "http://127.0.0.1:3000";

    /// <summary>The game's slug or id: <c>gantry game list</c>.</summary>
    public string Game = "";

    private readonly List<string> _news = new List<string>();
    private IReadOnlyList<LeaderboardRow> _rows = new LeaderboardRow[0];
    private GantryClient _client;
    private long _points;

    private async void Start()
    {
        try
        {
            _client = await GantryClient.ConnectAsync(new ConnectOptions { Url = Url, Game = Game });
            Tell("Playing as " + _client.Player.Username);
            _client.StatusChanged += status => Tell("Connection: " + status.State + " " + status.EndReason);
            _client.On(Events.NotificationsCreated, (notification, meta) => Tell(notification.Message));
            await _client.Leaderboard().FollowAsync(rows => _rows = rows);
        }
        catch (GantryException error)
        {
            Tell(error.Message);
        }
    }

    private async void Score()
    {
        _points += 100;
        try
        {
            // Queued: it is sent once there is a connection, and carried out once, whatever happens.
            await _client.SetUserScoreAsync(new SetUserScoreInput { Score = _points }, new CallOptions { IsQueued = true });
        }
        catch (GantryException error)
        {
            Tell(error.Reason == Reasons.ServerOnly ? "This game takes scores from its server only" : error.Message);
        }
    }

    private void Tell(string news)
    {
        _news.Add(news);
        if (_news.Count > 5) _news.RemoveAt(0);
    }

    private void OnGUI()
    {
        GUILayout.Label("Points: " + _points);
        if (_client != null && GUILayout.Button("Score 100")) Score();
        foreach (var row in _rows) GUILayout.Label(row.Position + ". " + row.Username + ": " + row.Score);
        foreach (var news in _news) GUILayout.Label(news);
    }
}
#endif
