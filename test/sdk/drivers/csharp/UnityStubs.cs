// As much of Unity's API as the SDK and its sample use, so that mcs can check them against its signatures, and Mono can
// run them: objects live in frames, in one thread; PlayerPrefs is a file; requests are real.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace UnityEngine
{
    public class Object
    {
        public static void DontDestroyOnLoad(Object target)
        {
        }

        public static void Destroy(Object target)
        {
        }
    }

    public class Component : Object
    {
        public GameObject gameObject
        {
            get { return null; }
        }
    }

    public class MonoBehaviour : Component
    {
    }

    public sealed class GameObject : Object
    {
        public GameObject(string name)
        {
        }

        public T AddComponent<T>() where T : Component
        {
            return (T)UnityPlayer.Add(typeof(T));
        }
    }

    public static class Debug
    {
        public static void LogException(Exception error)
        {
            Console.Error.WriteLine(error);
        }
    }

    public static class Application
    {
        public static string absoluteURL { get; set; } = "";
    }

    public static class PlayerPrefs
    {
        private const string Place = "PlayerPrefs.txt";
        private static readonly Dictionary<string, string> Values = Load();

        public static bool HasKey(string key)
        {
            return Values.ContainsKey(key);
        }

        public static string GetString(string key)
        {
            return Values[key];
        }

        public static void SetString(string key, string value)
        {
            Values[key] = value;
        }

        public static void Save()
        {
            File.WriteAllLines(Place, Values.SelectMany(one => new[] { one.Key, one.Value }));
        }

        private static Dictionary<string, string> Load()
        {
            var lines = File.Exists(Place) ? File.ReadAllLines(Place) : new string[0];
            return Enumerable.Range(0, lines.Length / 2).ToDictionary(at => lines[2 * at], at => lines[2 * at + 1]);
        }
    }

    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
    }

    public struct Vector2
    {
        public float x, y;

        public Vector2(float x, float y)
        {
            this.x = x;
            this.y = y;
        }
    }

    public struct Rect
    {
        public Rect(float x, float y, float width, float height)
        {
        }
    }

    public static class Mathf
    {
        public static float Abs(float value)
        {
            return Math.Abs(value);
        }

        public static float Clamp(float value, float min, float max)
        {
            return Math.Max(min, Math.Min(max, value));
        }
    }

    public static class Random
    {
        private static readonly System.Random Numbers = new System.Random();

        public static float Range(float min, float max)
        {
            return min + (max - min) * (float)Numbers.NextDouble();
        }
    }

    /// <summary>A game's time passes several times as fast as that of tests.</summary>
    public static class Time
    {
        public const float deltaTime = 0.1f;
    }

    /// <summary>The mouse is in the upper left corner.</summary>
    public sealed class Event
    {
        public static readonly Event current = new Event();

        public Vector2 mousePosition
        {
            get { return new Vector2(); }
        }
    }

    public class GUILayoutOption
    {
    }

    public static class GUI
    {
        public static void Box(Rect place, string text)
        {
        }

        public static void Label(Rect place, string text)
        {
        }
    }

    public static class GUILayout
    {
        public static void Label(string text, params GUILayoutOption[] options)
        {
            UnityPlayer.Screen.Add(text);
        }

        public static bool Button(string text, params GUILayoutOption[] options)
        {
            return UnityPlayer.TakePress(text);
        }

        public static string TextField(string text, int maxLength, params GUILayoutOption[] options)
        {
            var now = UnityPlayer.TakeText() ?? text;
            Label(now);
            return now;
        }

        public static void BeginArea(Rect place)
        {
        }

        public static void EndArea()
        {
        }
    }
}

namespace UnityEngine.Networking
{
    public class UploadHandlerRaw
    {
        internal readonly byte[] Data;

        public UploadHandlerRaw(byte[] data)
        {
            Data = data;
        }
    }

    public class DownloadHandlerBuffer
    {
        public string text { get; internal set; }
    }

    public class UnityWebRequestAsyncOperation
    {
    }

    public class UnityWebRequest : IDisposable
    {
        public const string kHttpVerbPOST = "POST";
        private static readonly HttpClient Client = new HttpClient();
        private readonly HttpRequestMessage _request;
        private readonly Dictionary<string, string> _headers = new Dictionary<string, string>();
        private readonly CancellationTokenSource _end = new CancellationTokenSource();
        private HttpResponseMessage _response;
        private volatile bool _isDone;

        public enum Result
        {
            InProgress,
            Success,
            ConnectionError,
            ProtocolError,
            DataProcessingError
        }

        public UploadHandlerRaw uploadHandler;
        public DownloadHandlerBuffer downloadHandler;

        public UnityWebRequest(string url, string method)
        {
            _request = new HttpRequestMessage(new HttpMethod(method), url);
        }

        public bool isDone
        {
            get { return _isDone; }
        }

        public Result result
        {
            get { return !_isDone ? Result.InProgress : _response == null ? Result.ConnectionError : Result.Success; }
        }

        public long responseCode
        {
            get { return _response == null ? 0 : (long)_response.StatusCode; }
        }

        public void SetRequestHeader(string name, string value)
        {
            _headers[name] = value;
        }

        public string GetResponseHeader(string name)
        {
            return _response != null && _response.Headers.TryGetValues(name, out var values) ? values.FirstOrDefault() : null;
        }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            Task.Run(Send);
            return new UnityWebRequestAsyncOperation();
        }

        public void Abort()
        {
            _end.Cancel();
        }

        public void Dispose()
        {
        }

        private async Task Send()
        {
            try
            {
                _request.Content = new ByteArrayContent(uploadHandler.Data);
                foreach (var header in _headers)
                    if (!_request.Headers.TryAddWithoutValidation(header.Key, header.Value)) _request.Content.Headers.Add(header.Key, header.Value);
                var response = await Client.SendAsync(_request, _end.Token);
                downloadHandler.text = await response.Content.ReadAsStringAsync();
                _response = response;
            }
            catch (Exception)
            {
                // Without a response, it is a ConnectionError.
            }
            _isDone = true;
        }
    }
}

/// <summary>
/// Runs a behaviour in frames: <c>UnityPlayer.exe LeaderboardSample Url=… Game=…</c>. Presses the buttons whose texts are
/// lines of standard input, and writes what is on the screen whenever it changes, on one line.
/// </summary>
public static class UnityPlayer
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    private static readonly List<object> Behaviours = new List<object>();
    private static readonly HashSet<object> Started = new HashSet<object>();
    private static readonly ConcurrentQueue<string> Presses = new ConcurrentQueue<string>();
    private static readonly FrameContext Frames = new FrameContext();
    public static readonly List<string> Screen = new List<string>();

    public static void Main(string[] args)
    {
        SynchronizationContext.SetSynchronizationContext(Frames);
        var game = Add(Assembly.GetExecutingAssembly().GetType(args[0]));
        foreach (var setting in args.Skip(1).Select(one => one.Split(new[] { '=' }, 2))) game.GetType().GetField(setting[0]).SetValue(game, setting[1]);
        var reader = new Thread(Read) { IsBackground = true };
        reader.Start();
        var shown = "";
        while (reader.IsAlive)
        {
            foreach (var behaviour in Behaviours.ToList()) Frame(behaviour);
            Frames.RunPosted();
            var screen = string.Join(" | ", Screen);
            if (screen != shown) Console.WriteLine(screen);
            shown = screen;
            Thread.Sleep(16);
        }
        foreach (var behaviour in Behaviours) Call(behaviour, "OnDestroy");
        Environment.Exit(0);
    }

    public static object Add(Type type)
    {
        var behaviour = Activator.CreateInstance(type);
        Behaviours.Add(behaviour);
        return behaviour;
    }

    public static bool TakePress(string text)
    {
        return Presses.TryPeek(out var pressed) && pressed == text && Presses.TryDequeue(out pressed);
    }

    /// <summary>What is typed into the only field: a line that begins with an equals sign.</summary>
    public static string TakeText()
    {
        return Presses.TryPeek(out var typed) && typed.StartsWith("=") && Presses.TryDequeue(out typed) ? typed.Substring(1) : null;
    }

    private static void Frame(object behaviour)
    {
        if (Started.Add(behaviour)) Call(behaviour, "Start");
        Call(behaviour, "Update");
        if (behaviour.GetType().GetMethod("OnGUI", Any) == null) return;
        Screen.Clear();
        Call(behaviour, "OnGUI");
    }

    private static void Call(object behaviour, string message)
    {
        behaviour.GetType().GetMethod(message, Any)?.Invoke(behaviour, null);
    }

    private static void Read()
    {
        string line;
        while ((line = Console.ReadLine()) != null) Presses.Enqueue(line);
    }

    /// <summary>Continuations run in frames, as in Unity.</summary>
    private sealed class FrameContext : SynchronizationContext
    {
        private readonly ConcurrentQueue<Action> _posted = new ConcurrentQueue<Action>();

        public override void Post(SendOrPostCallback callback, object state)
        {
            _posted.Enqueue(() => callback(state));
        }

        public void RunPosted()
        {
            while (_posted.TryDequeue(out var run)) run();
        }
    }
}
