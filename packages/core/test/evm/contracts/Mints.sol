// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens that are made for something. Names say what a token is, never what its functions do.

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ERC20FlashMint} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20FlashMint.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20 as ERC20Four} from "openzeppelin-contracts-4/token/ERC20/ERC20.sol";
import {ERC4626 as ERC4626Four} from "openzeppelin-contracts-4/token/ERC20/extensions/ERC4626.sol";
import {IERC20 as IERC20Four} from "openzeppelin-contracts-4/token/ERC20/IERC20.sol";

contract Vault is ERC4626 {
    constructor(IERC20 asset_) ERC20("V", "V") ERC4626(asset_) {}
}

contract OlderVault is ERC4626Four {
    constructor(IERC20Four asset_) ERC20Four("V", "V") ERC4626Four(asset_) {}
}

contract UnbackedVault is ERC4626, Ownable {
    constructor(IERC20 asset_) ERC20("V", "V") ERC4626(asset_) Ownable(msg.sender) {}
    function accrue(address to, uint256 v) external onlyOwner { _mint(to, v); }
}

contract PricedVault is ERC4626, Ownable {
    uint256 private noted;
    constructor(IERC20 asset_) ERC20("V", "V") ERC4626(asset_) Ownable(msg.sender) {}
    function report(uint256 v) external onlyOwner { noted = v; }
    function totalAssets() public view override returns (uint256) { return noted; }
}

interface IOracle { function value() external view returns (uint256); }

contract ReportedVault is ERC4626 { // another contract says what the shares are worth
    IOracle private constant oracle = IOracle(0x1111111111111111111111111111111111111111);
    constructor(IERC20 asset_) ERC20("V", "V") ERC4626(asset_) {}
    function totalAssets() public view override returns (uint256) { return oracle.value(); }
}

// The parts of Solmate's ERC4626 that take and make.
contract PlainVault is ERC20 {
    using SafeERC20 for IERC20;
    IERC20 public immutable asset;
    constructor(IERC20 a) ERC20("V", "V") { asset = a; }
    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        uint256 supply = totalSupply();
        require((shares = supply == 0 ? assets : mulDivDown(assets, supply, totalAssets())) != 0);
        asset.safeTransferFrom(msg.sender, address(this), assets);
        _mint(receiver, shares);
    }
    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        uint256 supply = totalSupply();
        assets = supply == 0 ? shares : mulDivUp(shares, totalAssets(), supply);
        asset.safeTransferFrom(msg.sender, address(this), assets);
        _mint(receiver, shares);
    }
    function withdraw(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = mulDivUp(assets, totalSupply(), totalAssets());
        _burn(msg.sender, shares);
        asset.safeTransfer(receiver, assets);
    }
    function totalAssets() public view returns (uint256) { return asset.balanceOf(address(this)); }
    function mulDivDown(uint256 x, uint256 y, uint256 d) internal pure returns (uint256 z) {
        assembly {
            if iszero(mul(d, iszero(mul(y, gt(x, div(not(0), y)))))) { revert(0, 0) }
            z := div(mul(x, y), d)
        }
    }
    function mulDivUp(uint256 x, uint256 y, uint256 d) internal pure virtual returns (uint256 z) {
        assembly {
            if iszero(mul(d, iszero(mul(y, gt(x, div(not(0), y)))))) { revert(0, 0) }
            z := add(gt(mod(mul(x, y), d), 0), div(mul(x, y), d))
        }
    }
}

contract TiltedVault is PlainVault { // rounds what is paid down
    constructor(IERC20 a) PlainVault(a) {}
    function mulDivUp(uint256 x, uint256 y, uint256 d) internal pure override returns (uint256 z) { return mulDivDown(x, y, d); }
}

contract WrappingVault is PlainVault { // the product may wrap
    constructor(IERC20 a) PlainVault(a) {}
    function mulDivUp(uint256 x, uint256 y, uint256 d) internal pure override returns (uint256 z) {
        assembly { z := add(gt(mod(mul(x, y), d), 0), div(mul(x, y), d)) }
    }
}

contract ManagedVault is ERC4626, Ownable { // the owner moves what was paid
    constructor(IERC20 asset_) ERC20("V", "V") ERC4626(asset_) Ownable(msg.sender) {}
    function invest(address to, uint256 v) external onlyOwner { IERC20(asset()).transfer(to, v); }
}

contract LeakyVault is ERC4626 { // pays out what was paid to whoever asks
    constructor(IERC20 asset_) ERC20("V", "V") ERC4626(asset_) {}
    function sweep() external { IERC20(asset()).transfer(msg.sender, IERC20(asset()).balanceOf(address(this))); }
}

contract CheapExitVault is PlainVault { // pays out more than is taken off
    using SafeERC20 for IERC20;
    constructor(IERC20 a) PlainVault(a) {}
    function exit(uint256 assets) external { _burn(msg.sender, 1); asset.safeTransfer(msg.sender, assets); }
}

contract LendingVault is PlainVault { // lets anybody use what was paid
    constructor(IERC20 a) PlainVault(a) {}
    function approve(address to, IERC20 t, uint256 v) external { t.approve(to, v); }
}

abstract contract Wrapping is ERC20 {
    using SafeERC20 for IERC20;
    IERC20 public immutable asset;
    constructor(IERC20 a) ERC20("W", "W") { asset = a; }
}

contract Wrapper is Wrapping {
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v); }
    function unwrap(uint256 v) external { _burn(msg.sender, v); asset.safeTransfer(msg.sender, v); }
}

contract LooseWrapper is Wrapping { // what is made is not what is paid
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v, uint256 made) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, made); }
}

contract ScaledWrapper is Wrapping { // the caller says how much a share costs
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v, uint256 rate) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v * rate); }
}

contract GenerousWrapper is Wrapping { // something for nothing
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v + 1e18); }
}

contract CheapWrapper is Wrapping { // what is paid for little is nothing
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external { asset.safeTransferFrom(msg.sender, address(this), v / 1e18); _mint(msg.sender, v); }
}

contract SometimesWrapper is Wrapping { // one way asks for nothing
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external {
        if (block.timestamp % 7 != 0) asset.safeTransferFrom(msg.sender, address(this), v);
        _mint(msg.sender, v);
    }
}

contract DoubleWrapper is Wrapping { // pays once and makes twice, which is a price of its own
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v); _mint(msg.sender, v); }
}

contract ElsewhereWrapper is Wrapping { // what is paid does not stay
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v, address to) external { asset.safeTransferFrom(msg.sender, to, v); _mint(msg.sender, v); }
}

contract AnyWrapper is Wrapping { // paid in whatever the caller likes
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(IERC20 t, uint256 v) external { t.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v); }
}

contract MovedWrapper is ERC20, Ownable { // the owner says what it is paid in
    using SafeERC20 for IERC20;
    IERC20 public asset;
    constructor() ERC20("W", "W") Ownable(msg.sender) {}
    function setAsset(IERC20 a) external onlyOwner { asset = a; }
    function wrap(uint256 v) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v); }
}

contract UncheckedWrapper is Wrapping { // goes on where the token says that it did not pay
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external {
        (bool done, ) = address(asset).call(abi.encodeCall(IERC20.transferFrom, (msg.sender, address(this), v)));
        done;
        _mint(msg.sender, v);
    }
}

contract RefundingWrapper is Wrapping { // gives back what was paid
    using SafeERC20 for IERC20;
    constructor(IERC20 a) Wrapping(a) {}
    function wrap(uint256 v) external { asset.safeTransferFrom(msg.sender, address(this), v); _mint(msg.sender, v); asset.safeTransfer(msg.sender, v); }
}

contract EtherSale is ERC20 { // at a price that stays, and the ether stays, too
    uint256 public rate = 7;
    constructor() ERC20("S", "S") {}
    function buy() external payable { _mint(msg.sender, msg.value * rate / 3); }
}

contract CollectedSale is ERC20, Ownable { // the owner takes what was paid, and pays again with it
    uint256 public rate = 7;
    constructor() ERC20("S", "S") Ownable(msg.sender) {}
    function buy() external payable { _mint(msg.sender, msg.value * rate / 3); }
    function collect() external onlyOwner { payable(msg.sender).transfer(address(this).balance); }
}

contract ForwardedSale is ERC20 { // whoever is paid buys for nothing
    uint256 public rate = 7;
    address payable private immutable purse = payable(msg.sender);
    constructor() ERC20("S", "S") {}
    function buy() external payable { _mint(msg.sender, msg.value * rate / 3); purse.transfer(msg.value); }
}

contract FlashMint is ERC20FlashMint {
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
}

contract FlashMintFee is ERC20FlashMint {
    address private immutable taker = msg.sender;
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
    function _flashFee(address, uint256 v) internal pure override returns (uint256) { return v / 1000; }
    function _flashFeeReceiver() internal view override returns (address) { return taker; }
}

interface IBorrower { function lent(uint256 v) external returns (bool); }

contract LendingMint is ERC20 { // burns again what it made, without an allowance
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
    function lend(uint256 v) external { _mint(msg.sender, v); require(IBorrower(msg.sender).lent(v)); _burn(msg.sender, v); }
}

contract KeptFlashMint is ERC20 { // burns only where the borrower says so
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
    function lend(uint256 v) external { _mint(msg.sender, v); if (IBorrower(msg.sender).lent(v)) _burn(msg.sender, v); }
}

contract HalfFlashMint is ERC20 { // burns less than it made
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
    function lend(uint256 v) external { _mint(msg.sender, v); IBorrower(msg.sender).lent(v); _burn(msg.sender, v / 2); }
}

contract SupplyFlashMint is ERC20 { // the supply is put right and the balance is not
    uint256 private drawn;
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
    function totalSupply() public view override returns (uint256) { return super.totalSupply() + drawn; }
    function lend(uint256 v) external { _mint(msg.sender, v); drawn += v; IBorrower(msg.sender).lent(v); drawn -= v; }
}

contract LoopedTransfer is ERC20 { // has paths without number
    address[] public watchers;
    constructor() ERC20("L", "L") { _mint(msg.sender, 1e24); }
    function watch() external { watchers.push(msg.sender); }
    function _update(address f, address t, uint256 v) internal override {
        for (uint256 i; i < watchers.length; i++) require(watchers[i] != f);
        super._update(f, t, v);
    }
}

contract LoopedMaker is ERC20 { // takes once and gives to each
    address[] public watchers;
    mapping(address => uint256) private held;
    constructor() ERC20("L", "L") { held[msg.sender] = 1e24; }
    function watch() external { watchers.push(msg.sender); }
    function balanceOf(address a) public view override returns (uint256) { return held[a]; }
    function _update(address f, address, uint256 v) internal override {
        held[f] -= v;
        for (uint256 i; i < watchers.length; i++) held[watchers[i]] += v;
    }
}
