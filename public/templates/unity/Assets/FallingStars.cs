using System.Collections.Generic;
using UnityEngine;

/// <summary>The game: what falls, what is caught, and what is shown beside it. All about Gantry is in Cloud.</summary>
public sealed class FallingStars : MonoBehaviour
{
    private const float Width = 360, Height = 480, BasketWidth = 70, BasketTop = Height - 40, Radius = 14;

    private readonly Cloud _cloud = new Cloud();
    private List<Vector2> _stars = new List<Vector2>();
    private string _username = "";
    private float _basket = Width / 2; // its middle
    private float _secondsToNext;
    private float _secondsSinceStart;
    private int _score;
    private int _misses; // how many stars may still be missed; 0: no round is played

    /// <summary>The game needs nothing of a scene: it plays in an empty one.</summary>
    [RuntimeInitializeOnLoadMethod]
    private static void Begin()
    {
        new GameObject("Falling stars").AddComponent<FallingStars>();
    }

    private async void Start()
    {
        _username = await _cloud.Start() ?? "";
    }

    private void Play()
    {
        _score = 0;
        _misses = 3;
        _secondsToNext = 1;
        _stars = new List<Vector2> { new Vector2(_basket, -Radius) }; // the first one falls into the basket
    }

    private void Update()
    {
        _secondsSinceStart += Time.deltaTime;
        if (_secondsSinceStart > 5) _cloud.TellIfWaiting();
        if (_misses == 0) return;
        _secondsToNext -= Time.deltaTime;
        if (_secondsToNext <= 0)
        {
            _stars.Add(new Vector2(Random.Range(Radius, Width - Radius), -Radius));
            _secondsToNext = 8f / (_score + 10);
        }
        var falling = new List<Vector2>();
        var step = (260 + 8 * _score) * Time.deltaTime;
        foreach (var star in _stars)
        {
            if (star.y + step < BasketTop) falling.Add(new Vector2(star.x, star.y + step));
            else if (Mathf.Abs(star.x - _basket) <= (BasketWidth + Radius) / 2) _score++;
            else if (_misses > 0) _misses--;
        }
        _stars = falling;
        if (_misses > 0) return;
        _stars.Clear();
        _cloud.SaveRound(_score);
    }

    private void OnGUI()
    {
        _basket = Mathf.Clamp(Event.current.mousePosition.x, BasketWidth / 2, Width - BasketWidth / 2);
        GUI.Box(new Rect(0, 0, Width, Height), "");
        foreach (var star in _stars) GUI.Label(new Rect(star.x - Radius, star.y - Radius, 2 * Radius, 2 * Radius), "★");
        GUI.Box(new Rect(_basket - BasketWidth / 2, BasketTop, BasketWidth, 14), "");

        GUILayout.BeginArea(new Rect(Width + 24, 16, 260, Height));
        GUILayout.Label("Caught: " + _score + ", misses left: " + _misses);
        if (_misses == 0 && GUILayout.Button("Play")) Play();
        _username = GUILayout.TextField(_username, 40);
        if (GUILayout.Button("Save your name")) _cloud.Rename(_username);
        foreach (var row in _cloud.Rows) GUILayout.Label(row.Position + ". " + _cloud.NameOf(row) + ": " + row.Score);
        GUILayout.Label("Your best: " + _cloud.Best + ". Rounds played: " + _cloud.Rounds);
        GUILayout.Label(_cloud.News);
        GUILayout.EndArea();
    }
}
