// As much of Unity's API as the SDK and its sample use, so that mcs can check them against its signatures.
using System;

namespace UnityEngine
{
    public class Object
    {
        public static void DontDestroyOnLoad(Object target)
        {
        }
    }

    public class Component : Object
    {
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
            return null;
        }
    }

    public static class Debug
    {
        public static void LogException(Exception error)
        {
        }
    }

    public static class PlayerPrefs
    {
        public static bool HasKey(string key)
        {
            return false;
        }

        public static string GetString(string key)
        {
            return null;
        }

        public static void SetString(string key, string value)
        {
        }

        public static void Save()
        {
        }
    }

    public class GUILayoutOption
    {
    }

    public static class GUILayout
    {
        public static void Label(string text, params GUILayoutOption[] options)
        {
        }

        public static bool Button(string text, params GUILayoutOption[] options)
        {
            return false;
        }
    }
}

namespace UnityEngine.Networking
{
    public class UploadHandlerRaw
    {
        public UploadHandlerRaw(byte[] data)
        {
        }
    }

    public class DownloadHandlerBuffer
    {
        public string text
        {
            get { return null; }
        }
    }

    public class UnityWebRequestAsyncOperation
    {
    }

    public class UnityWebRequest : IDisposable
    {
        public const string kHttpVerbPOST = "POST";

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
        }

        public bool isDone
        {
            get { return false; }
        }

        public Result result
        {
            get { return Result.InProgress; }
        }

        public long responseCode
        {
            get { return 0; }
        }

        public void SetRequestHeader(string name, string value)
        {
        }

        public string GetResponseHeader(string name)
        {
            return null;
        }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            return null;
        }

        public void Abort()
        {
        }

        public void Dispose()
        {
        }
    }
}
