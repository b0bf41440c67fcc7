#if UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using Gantry;
using UnityEngine;

/// <summary>
/// A whole small game: signs in as a guest, scores, shows the leaderboard as it changes and the notifications as they
/// come. Put it on an empty object of a scene, and set the game's id (<c>gantry game list</c>) in the inspector.
/// </summary>
public sealed class LeaderboardSample : MonoBehaviour
{
    public string Url = "http://127.0.0.1:3000";
    public string GameId = "";

    private readonly List<string> _news = new List<string>();
    private IReadOnlyList<LeaderboardRow> _rows = new LeaderboardRow[0];
    private GantryClient _client;
    private long _points;

    private async void Start()
    {
        _client = GantryBehaviour.Create(new GantryOptions { Url = Url }, "gantry-state");
        _client.StatusChanged += status => Tell("Connection: " + status.State);
        _client.On(Events.NotificationsCreated, (notification, meta) => Tell(notification.Message));
        _client.On(Events.LeaderboardsPatched, (change, meta) => Apply(change));
        try
        {
            await _client.SignInAsGuestAsync(GameId); // as the same guest each time: "gantry-state" has the secret
            await _client.ReadyAsync();
            _rows = (await _client.SubscribeAsync()).Leaderboard;
        }
        catch (GantryException error)
        {
            Tell(error.Message);
        }
    }

    /// <summary>Puts each row at its position and cuts the board to its length, as PROTOCOL.md says.</summary>
    private void Apply(LeaderboardChange change)
    {
        var rows = new List<LeaderboardRow>(_rows);
        foreach (var row in change.Rows)
        {
            var at = (int)row.Position - 1;
            while (rows.Count <= at) rows.Add(row);
            rows[at] = row;
        }
        if (rows.Count > change.Length) rows.RemoveRange((int)change.Length, rows.Count - (int)change.Length);
        _rows = rows;
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
        if (GUILayout.Button("Score 100")) Score();
        foreach (var row in _rows) GUILayout.Label(row.Position + ". " + row.Username + ": " + row.Score);
        foreach (var news in _news) GUILayout.Label(news);
    }
}
#endif
