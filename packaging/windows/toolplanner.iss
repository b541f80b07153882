; Inno Setup 6: installs for one person without an administrator. Run by packaging/windows_packages.py,
; which says where the frozen folder is (/DFrozen), where the icons are (/DIcons), the version
; (/DVersion) and where the result goes (/O).

[Setup]
AppId={{5E4C1E0B-9A3F-4C53-9C57-7C1E6C2B9A41}
AppName=ToolPlanner
AppVersion={#Version}
AppPublisher=The authors of ToolPlanner
DefaultDirName={autopf}\ToolPlanner
DefaultGroupName=ToolPlanner
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesAssociations=yes
ChangesEnvironment=yes
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern
LicenseFile={#Checkout}\LICENSE
SetupIconFile={#Icons}\toolplanner.ico
UninstallDisplayIcon={app}\toolplanner-gui.exe
OutputBaseFilename=toolplanner-{#Version}-windows-x64-setup

[Tasks]
Name: path; Description: "Add the command &toolplanner to my PATH"
Name: desktop; Description: "Put an icon on the &desktop"; Flags: unchecked

[Files]
Source: "{#Frozen}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs
Source: "{#Icons}\workspace.ico"; DestDir: "{app}"; Flags: ignoreversion

[InstallDelete]
; An update leaves nothing behind of the version before.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{group}\ToolPlanner"; Filename: "{app}\toolplanner-gui.exe"; AppUserModelID: "ToolPlanner"
Name: "{autodesktop}\ToolPlanner"; Filename: "{app}\toolplanner-gui.exe"; Tasks: desktop

[Registry]
Root: HKA; Subkey: "Software\Classes\.toolplanner"; ValueType: string; ValueData: "ToolPlanner.Workspace"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.toolplanner"; ValueType: string; ValueName: "Content Type"; ValueData: "application/x-toolplanner"; Flags: uninsdeletekeyifempty
Root: HKA; Subkey: "Software\Classes\ToolPlanner.Workspace"; ValueType: string; ValueData: "ToolPlanner workspace"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\ToolPlanner.Workspace\DefaultIcon"; ValueType: string; ValueData: "{app}\workspace.ico"
Root: HKA; Subkey: "Software\Classes\ToolPlanner.Workspace\shell\open\command"; ValueType: string; ValueData: """{app}\toolplanner-gui.exe"" ""%1"""
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NeedsPath

[Run]
Filename: "{app}\toolplanner-gui.exe"; Description: "Start ToolPlanner"; Flags: nowait postinstall skipifsilent

[Code]
const
  EnvironmentKey = 'Environment';

function NeedsPath: Boolean;
var
  Found: String;
begin
  if not RegQueryStringValue(HKEY_CURRENT_USER, EnvironmentKey, 'Path', Found) then
    Found := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Found) + ';') = 0;
end;

procedure LeavePath;
var
  Found, Place: String;
  At: Integer;
begin
  if not RegQueryStringValue(HKEY_CURRENT_USER, EnvironmentKey, 'Path', Found) then
    exit;
  Place := ';' + ExpandConstant('{app}');
  At := Pos(Uppercase(Place) + ';', Uppercase(Found) + ';');
  if At = 0 then
    exit;
  Delete(Found, At, Length(Place));
  RegWriteExpandStringValue(HKEY_CURRENT_USER, EnvironmentKey, 'Path', Found);
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if Step <> usPostUninstall then
    exit;
  LeavePath;
  // Workspaces lie where people keep them and are never touched. Asked, settings go too; a silent
  // uninstall keeps them.
  if SuppressibleMsgBox('Remove your settings and fetched models of ToolPlanner too?'#13#10 +
      'Your workspaces stay in any case.', mbConfirmation, MB_YESNO or MB_DEFBUTTON2, IDNO) = IDYES then
  begin
    DelTree(ExpandConstant('{localappdata}\toolplanner'), True, True, True);
    DelTree(ExpandConstant('{userappdata}\toolplanner'), True, True, True);
  end;
end;
