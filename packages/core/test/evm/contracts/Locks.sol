// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
import "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
contract Base {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner = msg.sender;
    uint256 public totalSupply = 1e27;
    event Transfer(address indexed f, address indexed t, uint256 v);
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual { held[f] -= v; held[t] += v; emit Transfer(f, t, v); }
}
abstract contract BoolLocked is Base {
    bool private locked;
    modifier nonReentrant() { require(!locked, "again"); locked = true; _; locked = false; }
    function _isLocked() internal view returns (bool) { return locked; }
    function _move(address f, address t, uint256 v) internal override { require(!locked, "busy"); super._move(f, t, v); }
    function _set(bool b) internal { locked = b; }
    function _and(bool b) internal { locked = b ? locked : false; }
    receive() external payable {}
}
contract AskedLock is BoolLocked { // transfers ask for the lock and do not take it
    function withdraw() external onlyOwner nonReentrant { (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok); }
}
contract PackedAskedLock is Base { // beside an address in its word, true while free
    address public treasury; bool private free = true;
    modifier nonReentrant() { require(free, "again"); free = false; _; free = true; }
    function _move(address f, address t, uint256 v) internal override { require(free, "busy"); super._move(f, t, v); }
    function setTreasury(address a) external onlyOwner { treasury = a; }
    function withdraw() external onlyOwner nonReentrant { (bool ok,) = treasury.call{value: address(this).balance}(""); require(ok); }
}
contract NumberAskedLock is Base, ReentrancyGuard {
    function _move(address f, address t, uint256 v) internal override { require(!_reentrancyGuardEntered(), "busy"); super._move(f, t, v); }
    function withdraw() external onlyOwner nonReentrant { (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok); }
}
contract KeptLock is BoolLocked { // trap: ends early with the lock taken
    function withdraw(bool keep) external onlyOwner {
        require(!_isLocked()); _set(true);
        (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok);
        if (keep) return;
        _set(false);
    }
}
contract KeptByAnswer is BoolLocked { // trap: the caller says whether it is released
    function withdraw(bool keep) external onlyOwner {
        require(!_isLocked()); _set(true);
        (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok);
        _and(keep);
    }
}
contract KeptByArgument is BoolLocked { // trap: the caller says whether it is released
    function withdraw(bool keep) external onlyOwner nonReentrant { _set(true); _set(keep); if (!keep) _set(false); else _keep(); }
    function _keep() private { assembly { return(0, 0) } }
}
contract ReleasedLock is BoolLocked { // trap: a pause under the name of a lock
    function withdraw() external onlyOwner nonReentrant { (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok); }
    function lock() external onlyOwner { _set(true); }
}
contract NumberKept is Base, ReentrancyGuard { // trap: returns out of the modifier
    function _move(address f, address t, uint256 v) internal override { require(!_reentrancyGuardEntered(), "busy"); super._move(f, t, v); }
    function withdraw(bool keep) external onlyOwner nonReentrant { (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok); if (keep) assembly { return(0, 0) } }
}
contract OpenedByLock is Base { // trap: shut from the start, opened by the first withdrawal alone
    bool private locked = true;
    function _move(address f, address t, uint256 v) internal override { require(!locked, "busy"); super._move(f, t, v); }
    function withdraw() external onlyOwner { locked = true; (bool ok,) = msg.sender.call{value: address(this).balance}(""); require(ok); locked = false; }
}
