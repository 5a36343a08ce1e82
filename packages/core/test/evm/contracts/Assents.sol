// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of Assent. Names say what a token is, never what its functions do.

abstract contract Base {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { held[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) public virtual returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual {
        held[f] -= v;
        held[t] += v;
        emit Transfer(f, t, v);
    }
    function _taxed(address f, address t, uint256 v, uint256 fee) internal {
        held[f] -= v;
        held[owner] += fee;
        held[t] += v - fee;
    }
}

contract NamedHash is Base { // hash named by the caller
    function permit2(bytes32 digest, address s, uint256 v, uint8 w, bytes32 r, bytes32 z) external { address o = ecrecover(digest, w, r, z); require(o != address(0)); allowance[o][s] = v; }
}

contract NamedHashOfHolder is Base {
    function permit2(bytes32 digest, address o, address s, uint256 v, uint8 w, bytes32 r, bytes32 z) external { require(ecrecover(digest, w, r, z) == o && o != address(0)); allowance[o][s] = v; }
}

contract NamedHashByOwner is Base {
    function permit2(bytes32 digest, address o, address s, uint256 v, uint8 w, bytes32 r, bytes32 z) external onlyOwner { require(ecrecover(digest, w, r, z) == o && o != address(0)); allowance[o][s] = v; }
}

contract Nobodys is Base { // the zero address is not refused
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 v, uint256 d, uint8 w, bytes32 r, bytes32 z) external { require(block.timestamp <= d);
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, v, nonces[o]++, d))));
      require(ecrecover(h, w, r, z) == o); allowance[o][s] = v; }
}

contract Appointees is Base { // compared with whom the account appointed, who is nobody
    mapping(address => uint256) public nonces; mapping(address => address) public signerOf;
    function appoint(address s) external { signerOf[msg.sender] = s; }
    function permit(address o, address s, uint256 v, uint256 d, uint8 w, bytes32 r, bytes32 z) external { require(block.timestamp <= d);
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, v, nonces[o]++, d))));
      require(ecrecover(h, w, r, z) == signerOf[o]); allowance[o][s] = v; }
}

contract Counted is Base { // the number is told by the caller, and is the one that is kept, as Dai does it
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 n, uint256 d, bool all, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, n, d, all))));
      require(o != address(0)); require(o == ecrecover(h, w, r, z)); require(d == 0 || block.timestamp <= d); require(n == nonces[o]++);
      allowance[o][s] = all ? type(uint256).max : 0; }
}

contract Uncounted is Base { // any other number than the one that is kept
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 n, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, v, n))));
      require(o != address(0)); require(o == ecrecover(h, w, r, z)); require(n != nonces[o]++); allowance[o][s] = v; }
}

contract Unkept is Base { // the number that is kept is never counted up
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 n, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, v, n))));
      require(o != address(0)); require(o == ecrecover(h, w, r, z)); require(n == nonces[o]); allowance[o][s] = v; }
}

contract Repeated is Base {
    function permit(address o, address s, uint256 v, uint256 d, uint8 w, bytes32 r, bytes32 z) external { require(block.timestamp <= d);
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, v, d))));
      require(ecrecover(h, w, r, z) == o && o != address(0)); allowance[o][s] = v; }
}

contract UnsignedSpender is Base { // who is allowed is not signed
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 v, uint256 d, uint8 w, bytes32 r, bytes32 z) external { require(block.timestamp <= d);
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, v, nonces[o]++, d))));
      require(ecrecover(h, w, r, z) == o && o != address(0)); allowance[o][s] = v; }
}

contract Signed is Base {
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 v, uint256 d, uint8 w, bytes32 r, bytes32 z) external { require(block.timestamp <= d);
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), o, s, v, nonces[o]++, d))));
      address a = ecrecover(h, w, r, z); require(a != address(0) && a == o); allowance[o][s] = v; }
}

contract NamedHashOfTransfer is Base { // moves by a digest the caller names
    mapping(bytes32 => bool) internal used;
    function transferSigned(bytes32 digest, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external { require(!used[digest]); used[digest] = true; address f = ecrecover(digest, w, r, z); require(f != address(0)); _move(f, t, v); }
}

contract SignedTransfer is Base { // a number of the holder's choice is struck off
    mapping(address => mapping(bytes32 => bool)) public used;
    function send(address f, address t, uint256 v, bytes32 n, uint8 w, bytes32 r, bytes32 z) external { require(!used[f][n]);
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v, n))));
      address a = ecrecover(h, w, r, z); require(a != address(0) && a == f); used[f][n] = true; _move(f, t, v); }
}

contract RepeatedTransfer is Base {
    function send(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v))));
      address a = ecrecover(h, w, r, z); require(a != address(0) && a == f); _move(f, t, v); }
}

contract SignedInFull is Base { // whom it goes to, how much, and what the caller gets for it
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint256 fee, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v, fee, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); _move(f, msg.sender, fee); }
}

contract SignedShort is Base { // an amount of fewer bits
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint96 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract SignedList is Base { // amounts one after the other
    mapping(address => uint256) public nonces;
    function pay(address f, address[] calldata t, uint256[] calldata v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, keccak256(abi.encodePacked(t)), keccak256(abi.encodePacked(v)), nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); for (uint256 i; i < t.length; i++) _move(f, t[i], v[i]); }
}

contract UnsignedAmount is Base { // any amount
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract UnsignedReceiver is Base { // to anybody
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, v, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract UnsignedFee is Base { // any fee
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint256 fee, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); _move(f, msg.sender, fee); }
}

contract UnsignedFactor is Base { // any multiple
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint256 k, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v * k); }
}

contract SignedLowBits is Base { // the high bits were not signed
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, uint128(v), nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract SignedUnits is Base { // what is below a unit was not signed
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, v / 1e18, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract UnsignedAllowance is Base { // any allowance
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(bytes32(uint256(9)), f, t, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); allowance[f][t] = v; }
}

contract SignedTight is Base { // all bytes one after the other
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encodePacked(f, t, v, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract SignedSum is Base { // a sum that others come to as well
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint256 k, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(f, t, v + k, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract SignedTightLowBits is Base { // eight bytes of it
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encodePacked(f, t, uint64(v), nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}

contract SignedProduct is Base { // nothing times anything
    mapping(address => uint256) public nonces;
    function pay(address f, address t, uint256 v, uint256 k, uint8 w, bytes32 r, bytes32 z) external {
      bytes32 h = keccak256(abi.encodePacked(hex"1901", bytes32(uint256(7)), keccak256(abi.encode(f, t, v * k, nonces[f]++))));
      require(f != address(0) && ecrecover(h, w, r, z) == f); _move(f, t, v); }
}
