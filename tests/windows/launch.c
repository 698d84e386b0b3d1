/* launch.exe FILE PROGRAM ARGUMENTS...: runs a program, and writes its exit code to FILE. On a busy machine, wine kills
 * a process that is still being cleaned up half a second after its end, and the exit code is then that of a killed
 * process. Child processes end with this one. */
#include <windows.h>
#include <stdio.h>

/* Returns the position after the next word of a command line, by the rules of the C library. */
static wchar_t *behind(wchar_t *at) {
    int quoted = 0;
    for (; *at && (quoted || (*at != L' ' && *at != L'\t')); at++) {
        if (*at == L'\\' && at[1] == L'"')
            at++;
        else if (*at == L'"')
            quoted = !quoted;
    }
    while (*at == L' ' || *at == L'\t')
        at++;
    return at;
}

int wmain(int argc, wchar_t **argv) {
    if (argc < 3)
        return 127;
    wchar_t *line = behind(behind(GetCommandLineW()));
    HANDLE job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    STARTUPINFOW startup = {0};
    PROCESS_INFORMATION made = {0};
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup, &made)) {
        fprintf(stderr, "cannot start it: error %lu\n", GetLastError());
        return 127;
    }
    AssignProcessToJobObject(job, made.hProcess);
    ResumeThread(made.hThread);
    WaitForSingleObject(made.hProcess, INFINITE);
    DWORD code = 127;
    GetExitCodeProcess(made.hProcess, &code);
    FILE *file = _wfopen(argv[1], L"w");
    if (file) {
        fprintf(file, "%lu\n", code & 255);
        fclose(file);
    }
    return (int)(code & 255);
}
